# SPDX-License-Identifier: MIT
# What the tests share: a server with the extension loaded, and hosts that differ.
package FrazilTest;
use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;

our @EXPORT = qw(frazil_conf frazil_node frazil_host);

# A folder that stands for a host: servers with the same one share run and state files, as on one machine.
sub frazil_host {
    my ($name) = @_;
    my $host = "$ENV{FRAZIL_TEST_DIR}/host-$name-$$";
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

1;
