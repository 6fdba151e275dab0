/* SPDX-License-Identifier: MIT */
/*
 * The keys of the configuration, all of them.  X(section, key, member, kind, default, help); the parser, --print-config
 * and the manual's test read this table.  A section [generator NAME] also takes every key of a spec, see
 * frazil.spec(5).
 */
#ifndef FRAZILD_SETTINGS_KEYS_H
#define FRAZILD_SETTINGS_KEYS_H

/* clang-format off */
#define DAEMON_KEYS(X) \
    X(daemon, threads,         threads,            threads,    "auto",  "event loops; auto: one per processor, at most 8") \
    X(daemon, max_connections, max_connections,    count,      "10000", "maximum number of connections at a time") \
    X(daemon, request_timeout, request_timeout_ns, wait,       "10s",   "how long a request may wait for ids, or take to arrive") \
    X(daemon, stall_timeout,   stall_timeout_ns,   timeout,    "30s",   "how long a client may leave a reply unread") \
    X(daemon, idle_timeout,    idle_timeout_ns,    timeout_or_none, "0s",    "how long a RESP client may be idle; 0s: no limit") \
    X(daemon, drain_delay,     drain_delay_ns,     duration,   "5s",    "time from SIGTERM until no connection is accepted") \
    X(daemon, drain_timeout,   drain_timeout_ns,   duration,   "30s",   "maximum time from then until it exits") \
    X(daemon, incr_reply,      incr_reply,         incr_reply, "auto",  "type of INCR's reply: auto, integer, string") \
    X(daemon, page,            page,               text,       "",      "file that a browser gets at /; the installed page unless set")

#define LISTEN_KEYS(X) \
    X(listen, address,         addresses,          text,       "",      "HOST:PORT, [IPV6]:PORT or unix:PATH, separated by spaces") \
    X(listen, mode,            mode,               mode,       "0660",  "mode of a unix socket") \
    X(listen, hosts,           hosts,              hosts,      "",      "http, https: names of this host, besides its addresses and localhost") \
    X(listen, tls_certificate, tls_certificate,    text,       "",      "resps, https: PEM file of the certificate and its chain") \
    X(listen, tls_key,         tls_key,            text,       "",      "resps, https: PEM file of the private key") \
    X(listen, tls_client_ca,   tls_client_ca,      text,       "",      "resps, https: PEM file of the CAs of client certificates") \
    X(listen, insecure,        insecure,           yes,        "no",    "yes: allow other hosts without TLS or users")

#define GENERATOR_KEYS(X) \
    X(generator, keys,         keys,               text,       "",      "patterns of the keys of INCR that it serves") \
    X(generator, max_batch,    max_batch,          batch,      "10000", "maximum number of ids in a request") \
    X(generator, rate,         rate,               rate,       "unlimited", "maximum number of ids a second") \
    X(generator, worker_ids,   worker_ids,         workers,    "1",     "number of worker ids that it uses")

#define USER_KEYS(X) \
    X(user, secret_file,       secret_file,        text,       "",      "file with the SHA-256 of the user's token") \
    X(user, certificate,       certificate,        text,       "",      "a name in the certificate of the user's clients") \
    X(user, allow,             allow,              text,       "",      "VERB:PATTERN, separated by spaces") \
    X(user, rate,              rate,               rate,       "unlimited", "maximum number of ids a second")
/* clang-format on */

#endif
