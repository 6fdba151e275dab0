# SPDX-License-Identifier: MIT
# What the tests share: a server with the extension loaded, copies of it, hosts that differ, and ids that are compared.
package FrazilTest;
use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(frazil_conf frazil_node frazil_copy frazil_host frazil_clock frazil_preloaded makes_none same_ids frazil_streams read_streams await_end frazil_redis frazil_workers frazil_keeper await_keeper);

# initdb is run once, by test.sh, for all tests.  From PostgreSQL 16 on, Cluster.pm takes INITDB_TEMPLATE by itself.
my $system_or_bail = \&PostgreSQL::Test::Utils::system_or_bail;
{
    no warnings 'redefine';
    *PostgreSQL::Test::Utils::system_or_bail = sub {
        my @command = @_;
        @command = ('cp', '-RPp', $ENV{INITDB_TEMPLATE}, $command[2]) if "@command[0, 1]" eq 'initdb -D' && @command <= 6;
        $system_or_bail->(@command);
    };
}

# A folder that stands for a host: servers with the same one share run and state files, as on one machine.
sub frazil_host {
    my ($name) = @_;
    my $host = "$ENV{TEST_DIR}/host-$name-$$";
    mkdir $_ for $host, "$host/run", "$host/state";
    return $host;
}

# The settings, as lines of postgresql.conf.
sub frazil_conf {
    my (%is) = @_;
    my $host = $is{host} // frazil_host('only');
    my $generators = $is{generators} // 'main: layout=frazil';
    my $worker = defined $is{worker} ? "frazil.worker = '$is{worker}'" : '';
    return qq{
shared_preload_libraries = 'frazil'
$worker
frazil.generators = '$generators'
frazil.run_dir = '$host/run'
frazil.state_dir = '$host/state'
frazil.host_dir = '$host/claims'
restart_after_crash = on
max_connections = 120
};
}

# A server of that name, started.
sub frazil_node {
    my ($name, %is) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(allows_streaming => $is{streaming} // 0, has_archiving => $is{archiving} // 0);
    $node->append_conf('postgresql.conf', frazil_conf(%is));
    $node->start;
    return $node;
}

# A server of that name from the backup "base" of another one, started.
sub frazil_copy {
    my ($of, $name, %is) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init_from_backup($of, 'base', has_streaming => $is{streaming} // 0);
    $node->append_conf('postgresql.conf', frazil_conf(%is) . ($is{conf} // ''));
    $node->start;
    return $node;
}

# frazil_preloaded SOURCE: the library made of t/SOURCE.c, for LD_PRELOAD, in a folder of its own.
sub frazil_preloaded {
    my ($source) = @_;
    my $dir = "$ENV{TEST_DIR}/$source-$$";
    mkdir $dir;
    system_or_bail($ENV{CC} // 'cc', '-shared', '-fPIC', '-o', "$dir/$source.so", "$FindBin::RealBin/$source.c");
    return "$dir/$source.so";
}

# frazil_clock MS: the wall clock of servers that are started with the LD_PRELOAD returned first is off by so many
# milliseconds; the function returned second sets others.  The file stays the same one: it is mapped.
sub frazil_clock {
    my ($ms) = @_;
    my $preloaded = frazil_preloaded('clock');
    my $file = $ENV{TEST_CLOCK} = "$preloaded.offset";
    my $set = sub {
        open my $offset, -e $file ? '+<' : '>', $file or die $!;
        syswrite $offset, pack('q', $_[0]);
        close $offset;
    };
    $set->($ms);
    return ($preloaded, $set);
}

# makes_none SERVER WHAT WORDS...: it makes no id, and its error has these words.
sub makes_none {
    my ($node, $what, @words) = @_;
    my ($code, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_next()');
    isnt($code, 0, "$what: no id");
    like($stderr, $_, "$what: says why") for @words;
}

# same_ids LIST|FILE...: how many different ids come more than once in all of them together.
sub same_ids {
    my @files = grep { !ref } @_;
    my $file = "$ENV{TEST_DIR}/lists-$$";
    append_to_file($file, join '', map { "$_\n" } map { @$_ } grep { ref } @_);
    local $ENV{LC_ALL} = 'C';
    my $same = '';
    IPC::Run::run([ 'sort', @files, $file ], '|', [ 'uniq', '-d' ], '|', [ 'wc', '-l' ], '>', \$same) or die 'sort';
    unlink $file;
    return $same + 0;
}

# frazil_streams SERVER N: N backends that make ids without an end and send each to a file.  Returns when each has sent
# some, so that any moment from then on is most likely within a call.
my $streamed = 0;
sub frazil_streams {
    my ($node, $n) = @_;
    my @streams;
    for my $i (1 .. $n) {
        my $file = "$ENV{TEST_DIR}/stream-$$-" . ++$streamed;
        my $run = IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('postgres'), '-c',
                'COPY (SELECT frazil_next() FROM (SELECT generate_series(1, 1000000000)) AS n) TO STDOUT' ], '>', $file, '2>', \my $err);
        push @streams, { run => $run, file => $file };
    }
    for my $stream (@streams) {
        for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
            last if (-s $stream->{file} // 0) > 200000;
            select undef, undef, undef, 0.1;
        }
    }
    return @streams;
}

# Ends the streams, and returns their files.  The last line of each may lack its end, and is left out.
sub read_streams {
    my (@streams) = @_;
    for my $stream (@streams) {
        eval { $stream->{run}->kill_kill };
        open my $file, '+<', $stream->{file} or die $!;
        seek $file, -100, 2 or die "$stream->{file} is too short";
        read $file, my $end, 100;
        truncate $file, (-s $file) - length($end =~ s/.*\n//sr);
    }
    return map { $_->{file} } @streams;
}

# frazil_redis NAMESPACE HORIZON...: starts a Redis with these namespaces, and returns its process id and the URL before
# a namespace's name.  It ends with this test.
my $redis;
sub frazil_redis {
    my (%namespaces) = @_;
    my $dir = "$ENV{TEST_DIR}/redis-$$";
    mkdir $dir;
    $redis = IPC::Run::start([ 'redis-server', '--port', '0', '--unixsocket', "$dir/s", '--dir', $dir, '--save', '' ], '>', "$dir/log", '2>&1');
    my $url = "redis+unix://$dir/s";
    for my $namespace (sort keys %namespaces) {
        my @init = ('frazil', 'lease', 'init', '--never-used', "worker=$url/$namespace horizon=$namespaces{$namespace}");
        my $said;
        for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
            last if IPC::Run::run(\@init, '>', \$said, '2>&1');
            select undef, undef, undef, 0.1;
        }
        like($said, qr/./, "a namespace: $said");
    }
    my ($pid) = map { $_->{PID} } @{ $redis->{KIDS} };
    return ($pid, $url);
}

END {
    my $code = $?;
    eval { $redis->kill_kill } if $redis;
    $? = $code;
}

# frazil_workers SERVER...: the worker number of an id that each of them makes.  The first id waits for the lease.
sub frazil_workers {
    return map { $_->safe_psql('postgres', q{SET frazil.max_wait = '60s'; SELECT frazil_worker(frazil_next())}) } @_;
}

# frazil_keeper SERVER: the process id of its background worker; undef: there is none, or nobody who answers.
sub frazil_keeper {
    my ($node) = @_;
    my (undef, $pid) = $node->psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'frazil keeper'});
    return $pid || undef;
}

# await_keeper SERVER PID: the process id of its background worker, once that is another one.
sub await_keeper {
    my ($node, $old) = @_;
    for (1 .. 20 * $PostgreSQL::Test::Utils::timeout_default) {
        my $pid = frazil_keeper($node);
        return $pid if defined $pid && $pid != $old;
        select undef, undef, undef, 0.05;
    }
    return;
}

# await_end PID...: returns when these processes are gone.
sub await_end {
    my @pids = @_;
    for (1 .. 20 * $PostgreSQL::Test::Utils::timeout_default) {
        return if !kill 0, @pids;
        select undef, undef, undef, 0.05;
    }
    die "still running: @pids";
}

1;
