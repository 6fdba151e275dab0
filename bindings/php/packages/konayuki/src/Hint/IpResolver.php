<?php
// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Konayuki\Hint;

use RuntimeException;

/** Finds the address that this host uses for outgoing connections. */
final class IpResolver
{
    public static function primaryIp(): string
    {
        // An address for documentation: the kernel chooses a route, and nothing is sent.
        $socket = @stream_socket_client('udp://192.0.2.1:9');
        $name = $socket === false ? false : stream_socket_get_name($socket, false);
        if (is_string($name) && $name !== '') {
            return substr($name, 0, (int) strrpos($name, ':'));
        }
        $host = (string) gethostname();
        $ip = gethostbyname($host);
        if ($ip === $host) {
            throw new RuntimeException("this host has no route outward, and its name '{$host}' no address");
        }
        return $ip;
    }

    public static function primaryIpv4(): string
    {
        $ip = self::primaryIp();
        if (filter_var($ip, FILTER_VALIDATE_IP, FILTER_FLAG_IPV4) === false) {
            throw new RuntimeException("the address of this host is {$ip}, which is not IPv4");
        }
        return $ip;
    }
}
