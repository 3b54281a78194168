import { type CopyPlan, overlayOptions, type Placed } from "./plan.ts";
import type { SeccompArch } from "./seccomp.ts";

/** System calls that perl has no word for, by machine. */
const CALLS: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  prctl: [157, 167],
  capset: [126, 91],
  unshare: [272, 97],
  close_range: [436, 436],
  mount_setattr: [442, 442],
};

/**
 * The walls where there is no bubblewrap: one perl process, since a process for each of fifty mounts costs several times
 * the rest. Arguments: uid, gid, real root or not, network or not, two words for each overlay, `--`, three words for each
 * thing placed, `--`, the command. Ordinary users become root in a user namespace of their own for the mounts, and
 * themselves again in a further one, the last that may be made. The first process of the process space stays outside
 * of the filter and can't be looked into; the command below it has no privileges but real root's four. fd 3: the first
 * process as the machine numbers it; fd 4: the filter.
 */
const STAGE = String.raw`
use strict;
my ($uid, $gid, $root, $net) = map { $_ + 0 } splice(@ARGV, 0, 4);
sub until_dashes { my @w; while (defined(my $w = shift @ARGV)) { last if $w eq "--"; push @w, $w } @w }
my @overlays = until_dashes(); my @placed = until_dashes(); my @command = @ARGV;
sub call { my ($name, @args) = @_; my $r = syscall($N{$name}, @args); $r == -1 ? undef : 1 }
sub must { my ($what, $ok) = @_; die "$what: $!\n" unless $ok }
sub put { my ($file, $text) = @_; my $f; open($f, ">", $file) && print({$f} $text) && close($f) }
sub dies_with_parent { must("prctl", call("prctl", 1, 9, 0, 0, 0)) }
sub user_space { my ($u, $g) = @_;
  put("/proc/self/setgroups", "deny"); must("uid_map", put("/proc/self/uid_map", $u)); must("gid_map", put("/proc/self/gid_map", $g)) }
sub ended { my ($pid) = @_; while ((my $p = wait()) > 0) { exit($? & 127 ? 128 + ($? & 127) : $? >> 8) if $p == $pid } exit 125 }

dies_with_parent(); call("close_range", 5, 0x7fffffff, 0);
open(my $filter, "<&=", 4) or die "no filter: $!\n"; binmode $filter;
my $program = do { local $/; <$filter> }; close $filter;
# NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWPID; NEWUSER; NEWNET.
must("no namespaces", call("unshare", 0x2e020000 | ($root ? 0 : 0x10000000) | ($net ? 0 : 0x40000000)));
user_space("0 $uid 1", "0 $gid 1") unless $root;
dies_with_parent();
my $first = fork(); must("fork", defined $first);
if ($first) { open(my $info, ">&=", 3) or die "$!\n"; print {$info} "$first\n"; close $info; ended($first) }
dies_with_parent(); call("close_range", 3, 0x7fffffff, 0);

if (!$net && socket(my $s, 2, 2, 0)) { my $up = pack("a16 s x22", "lo", 0x41); ioctl($s, 0x8914, $up); close $s }
must("mounts can't be made private", call("mount", "none", "/", 0, 0x44000, 0));
while (my ($at, $options) = splice(@overlays, 0, 2)) { must("overlay $at", call("mount", "overlay", $at, "overlay", 0, $options)) }
# A link on the way could lead out of the new root.
sub plain { die "$_[0] is a link\n" if -l $_[0] }
sub folder { my ($at) = @_; folder($1) if $at =~ m{^(.+)/[^/]+$}s; plain($at); -d $at or mkdir($at, 0755) }
sub above { $_[0] =~ m{^(.+)/[^/]+$}s && folder($1) }
sub file { my ($at) = @_; above($at); plain($at); return 1 if -e $at; my $f; open($f, ">", $at) && close($f) }
sub tmpfs { my ($at, $flags, $options) = @_; folder($at); must("tmpfs $at", call("mount", "tmpfs", $at, "tmpfs", $flags, $options)) }
sub bound { my ($from, $at) = @_; -d $from ? folder($at) : file($at); must("bind $at", call("mount", $from, $at, 0, 0x5000, 0)) }
# Of all that is mounted there: RDONLY 1, NOSUID 2, NODEV 4.
sub sealed { my ($at, $set) = @_; must("seal $at", call("mount_setattr", -100, $at, 0x8000, pack("Q4", $set, 0, 0, 0), 32)) }
my $nr = "nr"; tmpfs($nr, 6, "mode=755,size=16m");
while (my ($kind, $from, $path) = splice(@placed, 0, 3)) {
  my $at = "$nr$path";
  if ($kind eq "folder") { folder($at) }
  elsif ($kind eq "link") { above($at); symlink($from, $at) or die "link $path: $!\n" }
  elsif ($kind eq "read") { bound($from, $at); sealed($at, 7) }
  elsif ($kind eq "write") { bound($from, $at); sealed($at, 6) }
  elsif ($kind eq "empty") { tmpfs($at, 6, "mode=1777,size=" . $from . "m") }
  elsif ($kind eq "blank") { bound("/dev/null", $at); sealed($at, 7) }
  elsif ($kind eq "proc") { folder($at); must("proc", call("mount", "proc", $at, "proc", 14, 0)) }
  elsif ($kind eq "dev") {
    tmpfs($at, 2, "mode=755,size=1m");
    for (qw(null zero full random urandom tty)) { bound("/dev/$_", "$at/$_") if -e "/dev/$_" }
    symlink("/proc/self/fd", "$at/fd"); symlink("fd/$_->[0]", "$at/$_->[1]") for [0, "stdin"], [1, "stdout"], [2, "stderr"];
    folder("$at/shm"); folder("$at/pts");
    symlink("pts/ptmx", "$at/ptmx") if call("mount", "devpts", "$at/pts", "devpts", 10, "newinstance,ptmxmode=0666,mode=620");
    must("seal dev", call("mount_setattr", -100, $at, 0, pack("Q4", 3, 0, 0, 0), 32));
  }
}
# While it can still be set: no user namespace but the one below.
put("/proc/sys/user/max_user_namespaces", "1") unless $root;
must("seal /", call("mount_setattr", -100, $nr, 0, pack("Q4", 1, 0, 0, 0), 32));
chdir($nr) or die "$!\n";
must("pivot_root", call("pivot_root", ".", ".")); must("umount", call("umount2", ".", 2)); chdir("/");

my $child = fork(); must("fork", defined $child);
ended($child) if $child;
if (!$root) { must("no inner user namespace", call("unshare", 0x10000000)); user_space("$uid 0 1", "$gid 0 1") }
# CHOWN, DAC_OVERRIDE, FOWNER, FSETID for real root, as with bubblewrap.
my $keep = $root ? 0x1b : 0;
for my $cap (0 .. 63) { next if $keep >> $cap & 1; next if call("prctl", 24, $cap, 0, 0, 0); die "capabilities: $!\n" if $! != 22; last }
must("capset", call("capset", pack("L2", 0x20080522, 0), pack("L6", $keep, $keep, 0, 0, 0, 0)));
must("no_new_privs", call("prctl", 38, 1, 0, 0, 0));
must("filter", call("prctl", 22, 2, pack("S x6 P", length($program) / 8, $program), 0, 0));
exec { $command[0] } @command or die "$command[0]: $!\n";
`;

/** The perl text for a machine. */
export function stageText(arch: SeccompArch): string {
  const numbers = Object.entries(CALLS).map(([name, [x64, arm64]]) => `${name}=>${arch === "x64" ? x64 : arm64}`);
  return `our %N=(${numbers.join(",")});${STAGE}`;
}

/** Its arguments up to the command. */
export function stageArgs(plan: CopyPlan, who: { root: boolean; uid: number; gid: number }): string[] {
  const flag = (on: boolean): string => (on ? "1" : "0");
  return [
    String(who.uid),
    String(who.gid),
    flag(who.root),
    flag(plan.network),
    ...plan.overlays.flatMap((o) => [o.mount, overlayOptions(o, who.root)]),
    "--",
    ...plan.placed.flatMap(stagePlaced),
    "--",
  ];
}

/** Three words for the stage. */
function stagePlaced(placed: Placed): string[] {
  switch (placed.kind) {
    case "folder":
    case "blank":
      return [placed.kind, "", placed.at];
    case "link":
      return ["link", placed.to, placed.at];
    case "read":
    case "write":
      return [placed.kind, placed.from, placed.at];
    case "empty":
      return ["empty", String(placed.sizeMb), placed.at];
    case "dev":
      return ["dev", "", "/dev"];
    case "proc":
      return ["proc", "", "/proc"];
  }
}
