<?php
// SPDX-License-Identifier: MIT
// What php-fpm serves in fpm.php: a hundred ids, and who made them.

$generator = Frazil\Generator::open();
echo getmypid(), "\n", implode("\n", $generator->nextN(99)), "\n", $generator->next(), "\n";
