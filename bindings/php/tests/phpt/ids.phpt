--TEST--
Layouts, ids and snos go to text and back
--EXTENSIONS--
frazil
--FILE--
<?php
use Frazil\Id;
use Frazil\Layout;
use Frazil\Sno;

$layout = new Layout('41/10/12 epoch=2026-01-01');
$id = $layout->compose(1800000000000, 7, 42);
echo $id, ' ', json_encode(array_intersect_key($layout->decompose($id), ['unix_ms' => 0, 'worker' => 0, 'sequence' => 0])), "\n";
foreach (['hex', 'crockford', 'base58', 'base62'] as $form) {
    var_dump(Id::parse(Id::format($id, $form), $form) === $id);
}
var_dump(Id::fromBytes(Id::toBytes($id)) === $id, Id::kasumi(12345, Id::kasumi(12345, $id)) === $id);
var_dump(Id::unscramble(12345, Id::scramble(12345, $id)) === $id);
var_dump(Id::format('18446744073709551615', 'dec'), Id::parse('9223372036854775807'), Id::parse('9223372036854775808'));
$sno = Sno::compose(1800000000000, 0, 1, 2, 3);
var_dump(Sno::decode(Sno::encode($sno)) === $sno, Sno::fromUuid(Sno::toUuid($sno)) === $sno);
// A column may be null.
$zero = str_repeat("\0", 10);
var_dump(Sno::fromColumn(null) === $zero, Sno::fromColumn('') === $zero, Sno::fromColumn(Sno::encode($sno)) === $sno);
foreach ([substr($sno, 1), "$sno\0"] as $given) {
    try {
        Sno::encode($given);
    } catch (Frazil\UsageException $e) {
        echo $e->error, ' ', $e->getMessage(), "\n";
    }
}
foreach ([$sno, Sno::encode($sno), 5] as $given) {
    try {
        (new Layout('sno'))->decompose($given);
    } catch (Frazil\UsageException $e) {
        echo $e->error, ' ', $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
137465797017628714 {"unix_ms":1800000000000,"worker":7,"sequence":42}
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
string(20) "18446744073709551615"
int(9223372036854775807)
string(19) "9223372036854775808"
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
FRAZIL_EINVAL a sno has 10 bytes: its text is read by Frazil\Sno::decode
FRAZIL_EINVAL a sno has 10 bytes: its text is read by Frazil\Sno::decode
FRAZIL_EKIND a sno is not a 64-bit id: use the functions for snos
FRAZIL_EKIND a sno is not a 64-bit id: use the functions for snos
FRAZIL_EKIND a sno is not a 64-bit id: use the functions for snos
