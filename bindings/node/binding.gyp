# SPDX-License-Identifier: MIT
{
    'variables': {'system': '<!(node -p "process.env.FRAZIL_SYSTEM ? 1 : 0")'},
    'targets': [{
        'target_name': 'frazil',
        'sources': [
            'src/addon.c',
            'src/errors.c',
            'src/generator.c',
            'src/handle.c',
            'src/layouts.c',
            'src/promises.c',
            'src/request.c',
            'src/snos.c',
            'src/texts.c',
            'src/values.c',
        ],
        'cflags': ['-std=c11', '-fvisibility=hidden'],
        'conditions': [
            ['system==1', {
                'cflags': ['<!@(pkg-config --cflags frazil frazil-extras)'],
                'libraries': ['<!@(pkg-config --libs frazil frazil-extras)'],
            }, {
                'sources': ['amalgamation/frazil.c'],
                'include_dirs': ['amalgamation'],
                'defines': ['FRAZIL_API='],
            }],
            # Threads of the library outlive the worker thread that loaded it.
            ['OS=="linux"', {'ldflags': ['-Wl,-z,nodelete']}],
        ],
    }],
}
