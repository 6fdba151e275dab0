# SPDX-License-Identifier: MIT
# picture.gp: draws lines of "name TAB nanoseconds TAB whose" as bars.  gnuplot -e "data='FILE'; picture='FILE'" picture.gp
set terminal svg size 860,560 dynamic background rgb 'white' font 'sans-serif,13' noenhanced
set output picture
set datafile separator "\t"
set title 'Nanoseconds per id (logarithmic: each line is ten times the one before)'
set logscale x
set xrange [0.1:1000000]
set format x '%g'
set grid xtics
set yrange [*:*] reverse
set style fill solid
set lmargin 38
unset key
stats data using 2 nooutput
set offsets 0, 0, 0.6, 0.6
plot data using (0.1):0:(0.1):2:($0 - 0.35):($0 + 0.35):($3 == 1 ? 0x1f6f9f : $3 == 2 ? 0x9aa5ad : 0xd08a3c):ytic(1) \
         with boxxyerror lc rgb variable, \
     data using ($2 * 1.15):0:(sprintf($2 < 10 ? '%.2f' : '%.0f', $2)) with labels left font ',11'
