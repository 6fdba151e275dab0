# SPDX-License-Identifier: MIT
# Goal of this test: frazil_at makes ids for past times, no one twice: through many backends, kills and starts of the server,
# beside frazil_next, and beside another server of the host.  Its bounds are kept.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $divided = 'main: layout=frazil seq_max=3071; past: layout=frazil seq_min=3072';
my $host = frazil_host('a');
my $node = frazil_node('node', worker => 'fixed:7', host => $host, generators => $divided);
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE ROLE visitor');

# Refused: a statement, and the words of its error.
my $refuses = sub {
    my ($what, $sql, @words) = @_;
    my ($code, undef, $stderr) = $node->psql('postgres', $sql);
    isnt($code, 0, "$what: no id");
    like($stderr, $_, "$what: says why") for @words;
};

# Everybody may, for any time since the start.
my $first = $node->safe_psql('postgres', 'SELECT frazil_at_first()');
is($node->safe_psql('postgres', "SET ROLE visitor; SELECT frazil_time(id) = at, frazil_worker(id), frazil_sequence(id) >= 3072
    FROM (SELECT frazil_at('$first') AS id, timestamptz '$first' AS at) AS made"), 't|7|t', 'an id of that time');
is($node->safe_psql('postgres', 'SELECT frazil_time(frazil_at(now())) = date_trunc(\'milliseconds\', now())'), 't', 'the present counts as past');
$refuses->('before the start', "SELECT frazil_at(timestamptz '$first' - interval '1 ms')", qr/before this server began/, qr/greatest\(TIME, frazil_at_first\(\)\)/);
$refuses->('the future', q{SELECT frazil_at(clock_timestamp() + interval '1 h')}, qr/has not come yet/, qr/frazil_next\(\)/);
$refuses->('no time', q{SELECT frazil_at('infinity')}, qr/no infinite time/);
$refuses->('the present of its generator', q{SELECT frazil_next('past')}, qr/only for past times/, qr/frazil_at\(TIME\)/);
$refuses->('several', q{SELECT frazil_next_n(2, 'past')}, qr/only for past times/);
$refuses->('a time that is not counted', q{SELECT frazil_next_at(now(), 'past')}, qr/only for past times/);

# As many as a tick has, and no more.
is($node->safe_psql('postgres', "SELECT count(DISTINCT frazil_at('$first')) FROM generate_series(1, 1023)"), '1023', 'all ids of a tick');
$refuses->('one more', "SELECT frazil_at('$first')", qr/all 1024 ids of this time/);

# Backends at once, for the same times; frazil_next beside them; kills and starts.
my @lists;
my $times = q{frazil_at_first() + (n % 100 + 1) * interval '10 ms'};
my $take = sub { push @lists, [ split /\n/, $node->safe_psql('postgres', "SELECT frazil_at($times) FROM generate_series(1, 5000) AS n UNION ALL SELECT frazil_next_n(5000)") ] };
my $await_second = sub { $node->poll_query_until('postgres', q{SELECT clock_timestamp() > frazil_at_first() + interval '1.1 s'}) };
$await_second->();
my @backends = map { $node->background_psql('postgres') } 1 .. 8;
for my $backend (@backends) {
    $backend->{stdin} .= "SELECT frazil_at($times) FROM generate_series(1, 5000) AS n;\n";
    $backend->{run}->pump_nb;
}
for my $backend (@backends) {
    push @lists, [ grep { /^\d{3,}$/ } split /\n/, $backend->query('SELECT 1') ];
    $backend->quit;
}
$take->();
my $backend = $node->background_psql('postgres');
kill 9, scalar $backend->query('SELECT pg_backend_pid()');
eval { $backend->quit };
ok($node->poll_query_until('postgres', 'SELECT 1', '1'), 'the server recovers from a killed backend');
is($node->safe_psql('postgres', 'SELECT frazil_at_first()'), $first, 'and knows all ids that it made');
$take->();
my @children = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity');
$node->kill9;
await_end(@children);
$node->start;
$await_second->();
$take->();
$node->stop('immediate');
$node->start;
$await_second->();
$take->();
cmp_ok(scalar(map { @$_ } @lists), '>=', 60000, 'many ids');
is(same_ids(@lists), 0, 'no id is made twice');

# Another server of the host shares the sequence of the present, and would count past times apart.
my $other = frazil_node('other', worker => 'fixed:7', host => $host, generators => $divided);
$other->safe_psql('postgres', 'CREATE EXTENSION frazil');
is($other->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '7', 'another server of the host makes ids of the present');
like(($other->psql('postgres', 'SELECT frazil_at(now())'))[2], qr/worker id 7 is in use on this host/, 'but none for past times');

# Once the first one has ended, it does, as long as a session of it has the number; and then the first one again.
$node->stop;
is($other->safe_psql('postgres', q{SELECT pg_sleep(0.01) FROM frazil_at_first(); SELECT frazil_worker(frazil_at(clock_timestamp()))}), "\n7", 'the other one makes ids for past times');
$node->start;
$node->poll_query_until('postgres', 'SELECT clock_timestamp() > frazil_at_first()');
my $between = $node->safe_psql('postgres', 'SELECT clock_timestamp()');
is($node->safe_psql('postgres', "SELECT count(DISTINCT frazil_at('$between')) FROM generate_series(1, 3)"), '3', 'and the first one again');
$node->stop;
like(($other->psql('postgres', "SELECT frazil_at('$between')"))[2], qr/lies before this server began/, 'the other one does not know what was made meanwhile');
my $held = $other->background_psql('postgres');
my $held_first = $held->query('SELECT frazil_at_first()');
is($other->safe_psql('postgres', 'SELECT frazil_at_first()'), $held_first, 'as long as a session has the number, others begin where it did');
kill 9, scalar $held->query('SELECT pg_backend_pid()');
eval { $held->quit };
ok($other->poll_query_until('postgres', 'SELECT 1', '1'), 'the session is killed, and the server recovers');
like(($other->psql('postgres', "SELECT frazil_at('$held_first')"))[2], qr/lies before this server began/, 'it had the number until then');
$other->stop;
$node->start;

# A promoted standby keeps the number as well, without a session that does.
my $primary = frazil_node('primary', worker => 'fixed:8', host => frazil_host('b'), generators => $divided, streaming => 1);
$primary->safe_psql('postgres', 'CREATE EXTENSION frazil');
$primary->backup('base');
my $promoted = frazil_copy($primary, 'promoted', worker => 'timeline:9/4', host => frazil_host('c'), generators => $divided, streaming => 1);
my $obstacle = $promoted->data_dir . '/frazil.owner.new'; # it is to be a file
mkdir $obstacle;
$promoted->promote;
my $is_told = 0;
for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
    last if $is_told = slurp_file($promoted->logfile) =~ /LOG:  frazil: generator "past": could not write/;
    select undef, undef, undef, 0.1;
}
ok($is_told, 'a background worker that cannot have the number says so');
my (undef, undef, $said) = $promoted->psql('postgres', 'SELECT frazil_at_first()', timeout => $PostgreSQL::Test::Utils::timeout_default, timed_out => \my $is_late);
like($said, qr/could not write "frazil\.owner\.new"/, 'and holds up nobody');
rmdir $obstacle;
$promoted->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'frazil keeper'}); # it looks again as it starts
my @firsts = (0, 1);
for (1 .. 2 * $PostgreSQL::Test::Utils::timeout_default) { # each lasts for two sessions
    @firsts = map { $promoted->safe_psql('postgres', 'SELECT frazil_at_first()') } 0, 1;
    last if $firsts[0] eq $firsts[1];
    select undef, undef, undef, 0.05;
}
is($firsts[1], $firsts[0], 'a promoted standby: all sessions begin at one time');
$_->stop for $primary, $promoted;

# A server that ends says up to which time it made ids, and one that is killed has said more: the next begins above, also
# where a boot has set the clock back.
my $record = $node->data_dir . '/frazil.past_until';
my $clock_ms = sub { $node->safe_psql('postgres', 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)') };
$node->restart; # which has written none yet
$node->poll_query_until('postgres', 'SELECT clock_timestamp() > frazil_at_first()');
my $before_ms = $clock_ms->();
$node->safe_psql('postgres', 'SELECT frazil_at(clock_timestamp())');
my $now_ms = $clock_ms->();
cmp_ok(slurp_file($record), '>=', $before_ms + 5000, 'the record is five seconds ahead of the id');
cmp_ok(slurp_file($record), '<=', $now_ms + 5000, 'and no more');
$node->stop;
cmp_ok(slurp_file($record), '<=', $now_ms, 'at the end it is the last time');
my $later_ms = $now_ms + 3600000;
my $write = sub { open my $file, '>', $record or die $!; print {$file} @_; close $file or die $! };
$write->("$later_ms\n");
$node->start;
$refuses->('before what was made', "SELECT frazil_at($_)", qr/frazil_at makes no ids before/, qr/the clock has been set back/)
    for 'now()', 'greatest(least(now(), clock_timestamp()), frazil_at_first())';
is($node->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '7', 'ids of the present are made');
$node->stop;
$write->('soon');
$node->start;
$refuses->('a damaged record', 'SELECT frazil_at(now())', qr/"frazil.past_until" is damaged/, qr/remove it from the data directory/);
$node->stop;
unlink $record;
$node->start;

# Its generator may lead the clock by what it takes of the present, but a time that has not come has not passed.
$node->append_conf('postgresql.conf', q{
frazil.worker = 'fixed:9'
frazil.generators = 'main: layout=frazil seq_max=4093; past: layout=frazil seq_min=4094 on_full=lead'
});
$node->restart;
$refuses->('ahead of the clock', q{SELECT count(frazil_at_first()) FROM generate_series(1, 1200); SELECT frazil_at(clock_timestamp() + interval '200 ms')},
    qr/has not come yet/);
$node->append_conf('postgresql.conf', "frazil.worker = 'fixed:7'\nfrazil.generators = '$divided'");

# How long ago a time may be.  Then it has its ids again.
$node->append_conf('postgresql.conf', q{frazil.past_most = '2s'});
$node->restart;
$first = $node->safe_psql('postgres', 'SELECT frazil_at_first()');
my @again = split /\n/, $node->safe_psql('postgres', "SELECT frazil_at(frazil_at_first()) FROM generate_series(1, 100)");
ok($node->poll_query_until('postgres', "SELECT clock_timestamp() > timestamptz '$first' + interval '3 s'"), 'time goes on');
$refuses->('long ago', "SELECT frazil_at('$first')", qr/longer ago than frazil\.past_most allows, which is 2 s/);
is($node->safe_psql('postgres', 'SELECT frazil_time(frazil_at(frazil_at_first())) > now() - interval \'2 s\''), 't', 'the earliest time moves on');

# A time may pass that limit between a caller's look at the clock and its number: here while it waits to write the record,
# which another one does in vain, and then is stopped.  Meanwhile a tick with the same counter begins that again.
my ($preloaded, $clock_is_off) = frazil_clock(0);
$node->append_conf('postgresql.conf', q{frazil.past_most = '66s'});
$node->stop;
{
    local $ENV{LD_PRELOAD} = $preloaded;
    $node->start;
}
$node->poll_query_until('postgres', 'SELECT clock_timestamp() > frazil_at_first() + interval \'5 ms\'');
my @stopped_times = map { $node->safe_psql('postgres', "SELECT frazil_at_first() + interval '$_ ms'") } 1, 2;
my @early = split /\n/, $node->safe_psql('postgres', "SELECT frazil_at(at) FROM unnest(ARRAY['$stopped_times[0]', '$stopped_times[1]']::timestamptz[]) AS at, generate_series(1, 3)");
is(scalar @early, 6, 'ids of two times');
my $let_pass = sub { # in steps, as a grant that is left behind by seconds is none that goes on
    my ($from_s, $to_s) = @_;
    for (my $s = $from_s; $s <= $to_s; $s += 5) {
        $clock_is_off->(1000 * $s);
        $node->safe_psql('postgres', 'SELECT frazil_at_first()');
    }
};
$let_pass->(5, 60);
system_or_bail('mkfifo', "$record.new");
my @both = map { $node->background_psql('postgres', on_error_stop => 0) } 0, 1;
my %session_of = map { scalar $both[$_]->query('SELECT pg_backend_pid()') => $_ } 0, 1;
for my $i (0, 1) {
    $both[$i]->{stdin} .= "SELECT frazil_at('$stopped_times[$i]');\n";
    $both[$i]->{run}->pump_nb;
}
my $waits = q{SELECT pid FROM pg_stat_activity WHERE wait_event = 'AddinShmemInit'};
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM ($waits) AS waiting"), 'one waits for the other');
my $stopped = $node->safe_psql('postgres', $waits);
kill STOP => $stopped;
slurp_file("$record.new");
my $i = $session_of{$stopped};
like($both[ 1 - $i ]->query('SELECT 1'), qr/^\d{3,}$/m, 'the other one gets its id');
$let_pass->(65, 75);
is($node->safe_psql('postgres', "SELECT frazil_sequence(frazil_at(timestamptz '$stopped_times[$i]' + interval '65536 ms'))"), '3072', 'the counter begins again');
kill CONT => $stopped;
my ($late) = $both[$i]->query('SELECT 1') =~ /^(\d{3,})$/m;
is($late, undef, 'the one that was stopped gets none of its time, which has passed');
is(same_ids(\@early, [ $late // () ]), 0, 'and none that was there already');
$_->quit for @both;
$clock_is_off->(0);

# Nothing for it in frazil.generators; a lease.
$node->append_conf('postgresql.conf', q{frazil.generators = 'main: layout=frazil'});
$node->restart;
$refuses->('no generator for it', 'SELECT frazil_at(now())', qr/needs a generator "past"/, qr/seq_min=3072/);
$node->append_conf('postgresql.conf', "frazil.worker = 'redis://localhost:1/orders'\nfrazil.generators = '$divided'");
$node->restart;
$refuses->('a lease', 'SELECT frazil_at(now())', qr/no ids with a leased worker number/);
$node->stop;
done_testing();
