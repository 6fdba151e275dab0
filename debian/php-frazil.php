mod debian/php/modules/frazil.so
mod debian/frazil.ini
