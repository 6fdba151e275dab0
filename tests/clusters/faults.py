# SPDX-License-Identifier: MIT
"""What happens to clusters.  A fault strikes, is held for some seconds, and is healed: the network, stopped servers and
full disks by the campaign, anything else by what the fault returns."""

from takers import HOSTS


def rest(cluster, some):
    """All hosts but these."""
    return [name for name in cluster.network.hosts if name not in some]


# ---- of every cluster ------------------------------------------------------------------


def leader_killed(cluster, random):
    cluster.kill(cluster.leader() or random.choice(cluster.NAMES))


def leader_stopped(cluster, random):
    cluster.stop(cluster.leader() or random.choice(cluster.NAMES))


def all_killed(cluster, random):
    """So that nobody is left to grant; all of them come back with what was on their disks."""
    for name in cluster.NAMES:
        cluster.kill(name)


def slow(cluster, random):
    """Every way is slow and lossy, those between servers and those to clients."""
    names = list(cluster.network.hosts)
    for i, name in enumerate(names):
        cluster.network.spoil([name], names[i + 1 :], random.choice((20, 50, 100)), random.choice((20, 60)), 40)


def host_away(cluster, random):
    """One host of clients reaches no server."""
    cluster.network.cut([random.choice(HOSTS)], cluster.NAMES + cluster.OBSERVERS)


def host_deaf(cluster, random):
    """One host of clients sends, and hears no answer: what it asks for is done."""
    cluster.network.cut(cluster.NAMES + cluster.OBSERVERS, [random.choice(HOSTS)], one_way=True)


# ---- of a quorum -----------------------------------------------------------------------


def leader_alone(cluster, random):
    """The leader reaches its clients, and no other server."""
    leader = cluster.leader() or random.choice(cluster.NAMES)
    cluster.network.cut([leader], rest(cluster, [leader, "o", *HOSTS]))


def leader_deaf(cluster, random):
    leader = cluster.leader() or random.choice(cluster.NAMES)
    cluster.network.cut(rest(cluster, [leader, "o", *HOSTS]), [leader], one_way=True)


def leader_mute(cluster, random):
    leader = cluster.leader() or random.choice(cluster.NAMES)
    cluster.network.cut([leader], rest(cluster, [leader, "o", *HOSTS]), one_way=True)


def minority(cluster, random):
    """A server and a host of clients on one side, all others on the other one."""
    few = [random.choice(cluster.NAMES), random.choice(HOSTS)]
    cluster.network.cut(few, rest(cluster, [*few, "o"]))


def two_killed(cluster, random):
    for name in random.sample(cluster.NAMES, 2):
        cluster.kill(name)


def disk_full(cluster, random):
    """And its server is started again on it."""
    name = cluster.NAMES[-1]
    cluster.fill_disk(name)
    cluster.kill(name)
    cluster.launch(name)


def observer_lags(cluster, random):
    cluster.network.spoil(cluster.OBSERVERS, cluster.NAMES, 0, random.choice((300, 700)), 200)


# ---- of a primary ----------------------------------------------------------------------


def fence(cluster, primary):
    """As an operator does before the network is whole again: the old primary ends, and comes back as a replica."""

    def end():
        if cluster.leader() != primary:
            cluster.kill(primary)

    return end


def split(cluster, random):
    """The primary and a host of clients on one side; on the other side a replica is promoted."""
    primary = cluster.leader()
    few = [primary, random.choice(HOSTS)]
    cluster.network.cut(few, rest(cluster, [*few, "o"]))
    # The operator, or the sentinels of the other side, know nothing of the primary any more.
    cluster.network.cut(["o"], [primary])
    cluster.promote_if_asked()
    return fence(cluster, primary) if cluster.FENCED else None


def primary_alone(cluster, random):
    """The primary reaches its clients, and no replica; a replica is promoted, which clients reach, too."""
    primary = cluster.leader()
    cluster.network.cut([primary], [name for name in cluster.NAMES if name != primary])
    cluster.promote_if_asked()
    return fence(cluster, primary) if cluster.FENCED else None


def primary_away(cluster, random):
    """The primary lives, and reaches nobody."""
    primary = cluster.leader()
    cluster.network.cut([primary], rest(cluster, [primary]))
    cluster.promote_if_asked()
    return fence(cluster, primary)


def primary_dead(cluster, random):
    primary = cluster.leader()
    cluster.kill(primary)
    cluster.promote_if_asked()


def primary_restarted(cluster, random):
    """It comes back before anybody is promoted."""
    primary = cluster.leader()
    cluster.kill(primary)
    cluster.launch(primary)


def primary_sleeps(cluster, random):
    """It is stopped until another one has been promoted, and goes on where it was."""
    cluster.stop(cluster.leader())


def replicas_killed(cluster, random):
    for name in cluster.others(cluster.leader()):
        cluster.kill(name)


ALL = (slow, host_away, host_deaf)
QUORUM = (
    leader_alone, leader_deaf, leader_mute, minority, leader_killed, leader_stopped, two_killed, all_killed, disk_full,
)  # fmt: skip
