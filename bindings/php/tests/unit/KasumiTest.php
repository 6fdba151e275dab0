<?php
// SPDX-License-Identifier: MIT
// Goal of this test: Kasumi's classes give the texts and numbers of the golden values, and refuse what is no text of theirs.

declare(strict_types=1);

use Kasumi\Base36Encoder;
use Kasumi\ChecksumEncoder;
use Kasumi\ScrambledValue;
use Kasumi\Scrambler;
use PHPUnit\Framework\TestCase;

final class KasumiTest extends TestCase
{
    public function testGoldenValues(): void
    {
        $lines = file(__DIR__ . '/../../../../tests/vectors/kasumi.tsv', FILE_IGNORE_NEW_LINES);
        $names = explode("\t", array_shift($lines));
        foreach ($lines as $line) {
            $row = array_combine($names, explode("\t", $line));
            $value = (int) $row['value'];
            $plain = Scrambler::fromSalt((int) $row['salt']);
            $checked = new Scrambler((int) $row['salt'], new ChecksumEncoder(new Base36Encoder()));
            $scrambled = $plain->scramble($value);
            $this->assertSame([(int) $row['upper'], (int) $row['lower']], [$scrambled->upper, $scrambled->lower]);
            $this->assertSame($row['base36'], (string) $scrambled);
            $this->assertSame($row['checksum36'], (string) $checked->scramble($value));
            $this->assertSame([$value, $value], [$plain->unscramble($row['base36']), $checked->unscramble($row['checksum36'])]);
            $this->assertSame($value, $plain->scramble($scrambled)->toInt());
        }
        $this->assertGreaterThan(10, count($lines));
    }

    public function testAnEncoderOfYours(): void
    {
        $encoder = new class implements Kasumi\Encoder {
            public function encode(int $upper, int $lower): string
            {
                return sprintf('%08x%08x', $upper, $lower);
            }

            public function decode(string $s): array
            {
                return array_map('hexdec', str_split($s, 8));
            }
        };
        $this->assertMatchesRegularExpression('/^[0-9a-f]{16}$/', (string) (new Scrambler(12345, $encoder))->scramble(99));
        $checked = new ChecksumEncoder($encoder);
        $this->assertSame([7, 0xFFFFFFFF], $checked->decode($checked->encode(7, 0xFFFFFFFF)));
    }

    public function testWhatIsTooLargeForAnIntSaysSo(): void
    {
        $this->assertSame(PHP_INT_MAX, (new ScrambledValue(0x7FFFFFFF, 0xFFFFFFFF, new Base36Encoder()))->toInt());
        $this->expectException(OverflowException::class);
        (new ScrambledValue(0x80000000, 0, new Base36Encoder()))->toInt();
    }

    /** @dataProvider refused */
    public function testRefuses(callable $call): void
    {
        $this->expectException(InvalidArgumentException::class);
        $call();
    }

    public function refused(): array
    {
        $plain = new Base36Encoder();
        $checked = new ChecksumEncoder($plain);
        $text = $checked->encode(1, 2);
        return [
            'an even salt' => [static fn () => new Scrambler(2)],
            'a negative number' => [static fn () => (new Scrambler(3))->scramble(-1)],
            'a half above 2^32 - 1' => [static fn () => $plain->decode('zzzzzzz0000000')],
            'a foreign character' => [static fn () => $plain->decode('000000000000-0')],
            'upper case' => [static fn () => $plain->decode('000000000000A0')],
            'another length' => [static fn () => $checked->decode($text . '0')],
            'another character' => [static fn () => $checked->decode(substr_replace($text, 'z', 8, 1))],
        ];
    }
}
