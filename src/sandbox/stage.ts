/**
 * The script that makes the new root where there is no bubblewrap: first process of its own namespaces, root in its own
 * user namespace. Arguments: uid, gid, three words for each thing placed, `--`, the command. Everything that is not
 * placed for writing is read-only at the end; then no further user namespace may be made. The command runs without
 * privileges below this shell, which stays as the first process: as such itself it could not be ended by its own signals.
 */
const STAGE = String.raw`
set -e
read -r self rest < /proc/self/stat
echo "$self" >&3; exec 3>&-
uid=$1 gid=$2; shift 2
perl -e 'socket(S,2,2,0); ioctl(S,0x8914,pack("a16 s x22","lo",0x41))' 2>/dev/null || ip link set lo up 2>/dev/null || :
here=$(pwd -P) writable=
mkdir -p nr; mount -t tmpfs -o mode=755,size=16m tmpfs nr
while [ "$1" != -- ]; do
  kind=$1 from=$2 to=$here/nr$3; shift 3
  case $kind in
    folder) mkdir -p "$to" ;;
    link) mkdir -p "$(dirname "$to")"; ln -s "$from" "$to" ;;
    read|write)
      if [ -d "$from" ]; then mkdir -p "$to"; else mkdir -p "$(dirname "$to")"; [ -e "$to" ] || : > "$to"; fi
      mount --rbind "$from" "$to"
      if [ "$kind" = write ]; then writable="$writable
$to
"; fi ;;
    empty) mkdir -p "$to"; mount -t tmpfs -o "mode=1777,nosuid,nodev,size=$from"m tmpfs "$to"
      writable="$writable
$to
" ;;
    blank) mount --bind /dev/null "$to" ;;
    dev)
      mkdir -p "$to"; mount -t tmpfs -o mode=755,nosuid,size=1m tmpfs "$to"
      for d in null zero full random urandom tty; do : > "$to/$d"; mount --bind "/dev/$d" "$to/$d"; writable="$writable
$to/$d
"; done
      ln -s /proc/self/fd "$to/fd"; ln -s fd/0 "$to/stdin"; ln -s fd/1 "$to/stdout"; ln -s fd/2 "$to/stderr"
      mkdir "$to/shm" "$to/pts"
      if mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$to/pts" 2>/dev/null; then
        ln -s pts/ptmx "$to/ptmx"; writable="$writable
$to/pts
"; fi ;;
    proc) mkdir -p "$to"; mount -t proc -o nosuid,nodev,noexec proc "$to"; writable="$writable
$to
" ;;
  esac
done
shift
# While it can still be set: no namespace but the one below.
echo 1 > /proc/sys/user/max_user_namespaces
info=$(cat /proc/self/mountinfo)
while read -r a b c d at flags rest; do
  case $at in *\\*) at=$(printf "$(printf %s "$at" | sed 's/%/%%/g')") ;; esac
  case $at in "$here/nr"/*) ;; *) continue ;; esac
  case "$writable" in *"
$at
"*) continue ;; esac
  mount -o "remount,bind,ro,$(printf %s "$flags" | sed 's/^r[wo],//')" "$at"
done <<END
$info
END
cd nr; mkdir .old; pivot_root . .old; umount -l /.old; rmdir /.old
mount -o remount,bind,ro /
code=0
unshare -U --map-user="$uid" --map-group="$gid" setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@" || code=$?
exit "$code"
`;

/** The stage script behind the lines that mount the overlays. */
export function stageScript(mounts: string): string {
  return `${mounts} :${STAGE}`;
}
