/* SPDX-License-Identifier: MIT */
#include "php_frazil.h"

#include "ext/standard/info.h"

ZEND_DECLARE_MODULE_GLOBALS(frazil)

#if defined(ZTS) && defined(COMPILE_DL_FRAZIL)
ZEND_TSRMLS_CACHE_DEFINE()
#endif

#if defined(COMPILE_DL_FRAZIL)
__attribute__((visibility("default"))) zend_module_entry *get_module(void);

zend_module_entry *get_module(void)
{
    return &frazil_module_entry;
}
#endif

static PHP_GINIT_FUNCTION(frazil)
{
#if defined(ZTS) && defined(COMPILE_DL_FRAZIL)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    frazil_globals->generators = NULL;
    frazil_globals->openings = 0;
}

/* Each thread of a PHP with threads has globals of its own, and this is called for each. */
static PHP_GSHUTDOWN_FUNCTION(frazil)
{
    frazil_close_generators(frazil_globals->generators);
}

static PHP_MINIT_FUNCTION(frazil)
{
    (void)type;
    (void)module_number;
    /* The installed library may be another one than the header. */
    if (!FRAZIL_VERSION_FITS(frazil_version_number())) {
        php_error_docref(NULL, E_CORE_ERROR, "libfrazil is %s, and this extension was built for %s: rebuild it",
                         frazil_version(), FRAZIL_VERSION);
        return FAILURE;
    }
    frazil_register_exceptions();
    frazil_register_layout();
    frazil_register_generator();
    frazil_register_id();
    frazil_register_sno();
    return SUCCESS;
}

static PHP_MINFO_FUNCTION(frazil)
{
    char openings[MAX_LENGTH_OF_LONG + 1];

    (void)zend_module;
    snprintf(openings, sizeof openings, ZEND_ULONG_FMT, FRAZIL_G(openings));
    php_info_print_table_start();
    php_info_print_table_row(2, "frazil", "enabled");
    php_info_print_table_row(2, "version", frazil_version());
    php_info_print_table_row(2, "generators opened", openings);
    php_info_print_table_end();
}

zend_module_entry frazil_module_entry = {
    STANDARD_MODULE_HEADER,
    "frazil",
    NULL, /* it has classes, and no functions */
    PHP_MINIT(frazil),
    NULL,
    NULL,
    NULL,
    PHP_MINFO(frazil),
    FRAZIL_VERSION,
    PHP_MODULE_GLOBALS(frazil),
    PHP_GINIT(frazil),
    PHP_GSHUTDOWN(frazil),
    NULL,
    STANDARD_MODULE_PROPERTIES_EX,
};
