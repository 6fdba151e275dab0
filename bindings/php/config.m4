dnl SPDX-License-Identifier: MIT
PHP_ARG_ENABLE([frazil], [whether to enable frazil], [AS_HELP_STRING([--enable-frazil], [Enable frazil])], [yes])
PHP_ARG_WITH([libfrazil], [whether to use the installed libfrazil], [AS_HELP_STRING([--with-libfrazil], [Use the installed libfrazil in place of frazil.c])], [no], [no])

if test "$PHP_FRAZIL" != "no"; then
  frazil_sources="module.c exceptions.c values.c spec.c iterator.c generator.c generator_take.c layout.c id.c sno.c"
  if test "$PHP_LIBFRAZIL" != "no"; then
    PKG_CHECK_MODULES([LIBFRAZIL], [frazil >= 1.0 frazil-extras >= 1.0])
    PHP_EVAL_INCLINE($LIBFRAZIL_CFLAGS)
    PHP_EVAL_LIBLINE($LIBFRAZIL_LIBS, FRAZIL_SHARED_LIBADD)
  else
    dnl frazil.c and frazil.h lie here: "make packages" of the source tree puts them into the package.
    frazil_sources="$frazil_sources frazil.c"
    PHP_ADD_LIBRARY(pthread,, FRAZIL_SHARED_LIBADD)
    PHP_ADD_LIBRARY(dl,, FRAZIL_SHARED_LIBADD)
  fi
  PHP_SUBST(FRAZIL_SHARED_LIBADD)
  PHP_NEW_EXTENSION(frazil, $frazil_sources, $ext_shared,, [-std=gnu11 -fvisibility=hidden -DFRAZIL_API= -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1])
fi
