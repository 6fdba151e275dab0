# SPDX-License-Identifier: MIT
# Completion of frazil for bash.

# The values of an option; empty: nothing we know.
_frazil_values()
{
    local forms='dec dec20 hex crockford base36 base58 base62 base64url bin bytes hex0x hexshort signed sno uuid'
    local layouts='frazil konayuki sfid sno post flake twitter discord instagram mastodon sonyflake js53'

    case $1 in
        --form | --from | --to) echo "$forms" ;;
        --layout) echo "$layouts" ;;
        --color) echo 'auto always never' ;;
        -f | -t) echo "$forms" ;;
        -l) echo "$layouts" ;;
    esac
}

# The options of a subcommand.
_frazil_options()
{
    case $1 in
        next) echo '--count --rate --at --form --json --meta --quiet --help' ;;
        inspect) echo '--layout --guess --form --json --forms --rounded --page --color --help' ;;
        compose) echo '--layout --unix-ms --time --worker --datacenter --sequence --partition --meta --ticktock --form --tsv --help' ;;
        convert) echo '--from --to --help' ;;
        range) echo '--layout --form --json --help' ;;
        layout) echo '--since --json --color --help' ;;
        shard) echo '--form --help' ;;
        scramble) echo '--salt --checksum --new-salt --form --help' ;;
        unscramble) echo '--salt --checksum --help' ;;
        opaque) echo '--key-file --decrypt --form --help' ;;
        worker) echo '--hash --max --expect --help' ;;
        lease) echo '--never-used --worker --interval --looks --json --help' ;;
        doctor) echo '--hosts --quiet --color --json --help' ;;
        state) echo '--all --json --help' ;;
        verify) echo '--layout --form --list --tolerance --apart --json --help' ;;
        bench) echo '--rounds --threads --quick --json --help' ;;
        version) echo '--json --help' ;;
    esac
}

# The arguments of a subcommand that are words we know.
_frazil_arguments()
{
    local commands='next inspect compose convert range layout shard scramble unscramble opaque worker lease state doctor verify bench version help'

    case $1 in
        '') echo "$commands --help --version" ;;
        help) echo "$commands" ;;
        layout) echo "overlap find $(_frazil_values --layout)" ;;
        lease) echo 'init list release watch' ;;
        state) echo 'show init' ;;
    esac
}

# The keys of a spec, and the values of those that have a list.  bash takes "=" for a word of its own.
_frazil_spec()
{
    case $1 in
        layout) _frazil_values --layout ;;
        behaviour) echo 'frazil konayuki sfid sno post flake flake-callback' ;;
        worker) echo 'fixed: env: ordinal file-lock ip-last-octet ip-hash hostname-hash redis:// etcd:// zookeeper:// postgres:// mysql:// file:// auto' ;;
        state) echo 'file memory' ;;
        keeper) echo 'thread hook inline other' ;;
        on_loss) echo 'move stop' ;;
        share) echo 'process host' ;;
        on_full) echo 'wait lead error' ;;
        on_backward) echo 'hold wait error ticktock' ;;
        start) echo 'zero random spread' ;;
        clock) echo 'real frozen:' ;;
        allow_short_life) echo 'yes no' ;;
        '') echo 'layout= epoch= tick= behaviour= worker= partition= datacenter= base= count= expect= hostname= ip= on_full= on_backward=' \
            'max_lead= max_wait= open_wait= start= seq_min= seq_max= state= batch= namespace= run_dir= state_dir= host_dir= keeper= max_skew= on_loss= share=' \
            'horizon= workers= clock= allow_short_life= config=' ;;
    esac
}

_frazil()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' key='' words

    [ "$COMP_CWORD" -gt 1 ] && command=${COMP_WORDS[1]}
    if [[ $command == @(next|bench) && $word == = ]]; then
        key=$before word=''
    elif [[ $command == @(next|bench) && $before == = ]]; then
        key=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    words=$(_frazil_values "$before" "$command")
    if [ -n "$words" ]; then
        :
    elif [ -n "$key" ]; then
        words=$(_frazil_spec "$key")
    elif [[ $word == -* && -n $command ]]; then
        words=$(_frazil_options "$command")
    elif [[ $command == @(next|bench) ]]; then
        words=$(_frazil_spec '')
    else
        words=$(_frazil_arguments "$command")
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
    [ ${#COMPREPLY[@]} -gt 0 ] || [ "$command" != verify ] && [ "$before" != --key-file ] && [ "$before" != -k ] && return
    compopt -o default 2>/dev/null
}

complete -F _frazil frazil
