"""Verbs of disks, file systems, volumes and backups: what destroys them, or the copies one would go back to; and of
programs that hand files to somebody else.

Programs that write to a device they are given as a file (`dd`, `mkfs`) are not here.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.acts import Scope
from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_GONE = Effect.MUTATES
_SENT = Effect.SENDS
_TEST = "-t --test --help -h --version"

TOOLS: tuple[Tool, ...] = (
    Tool("zfs", "-o -t -d -s -S"),
    Tool("zpool", "-o -O -R -T"),
    Tool("lvm"),
    Tool("lvremove vgremove pvremove lvreduce", "-L --size -l --extents -n --name --config"),
    Tool("btrfs"),
    Tool("mdadm", "-l --level -n --raid-devices -c --config"),
    Tool("cryptsetup", "-d --key-file -c --cipher -s --key-size --type --header -S --key-slot"),
    Tool("wipefs", "-o --offset -t --types"),
    Tool("sgdisk sfdisk", "-n --new -t --typecode -a"),
    Tool("parted", "-a --align"),
    Tool("swapoff"),
    Tool("blkdiscard", "-o --offset -l --length -p --step"),
    Tool("nvme hdparm", "-n --namespace-id -s --ses"),
    Tool("rclone", "--config --include --exclude --filter --filter-from --max-age --min-age --transfers --checkers --bwlimit --log-file", Scope.CLOUD),
    Tool("croc", "--code --relay --pass --socks5 --connect --ip --curve --hash --ports --port --transfers --throttleUpload"),
    Tool("wormhole magic-wormhole wormhole-william", "--relay-url --transit-helper --appid --code -c --text"),
    Tool("gist", "-f --filename -t --type -d --description -u --update -r --read"),
    Tool("pastebinit wgetpaste", "-a -b -f -i -t -u -p -s -l -n"),
    Tool("ffsend gdrive megaput mega-put dropbox_uploader onionshare onionshare-cli transfer.sh", "--host --path --parent -u -p"),
    Tool("restic", "-r --repo -p --password-file --tag --host -H --path --cache-dir -o --option"),
    Tool("borg borgmatic", "--remote-path --prefix -P -a --glob-archives --rsh"),
    Tool("kopia duplicity duplicati-cli", "--config-file"),
    Tool("rdiff-backup", ""),
    Tool("snapper timeshift", "-c --config"),
    Tool("ceph rados rbd", "-c --conf -n --name --id -p --pool --cluster -k --keyring", Scope.REMOTE),
    Tool("gluster", "--mode", Scope.REMOTE),
    Tool("hdfs hadoop", "-D --config", Scope.REMOTE),
    Tool("ipmitool", "-H -U -P -I", Scope.REMOTE),
    Tool("journalctl", "-u --unit -S --since -U --until -n --lines -D --directory -o --output -p --priority"),
)

VERBS: tuple[Verb, ...] = (
    Verb("zfs", "destroy", "", "-n", _GONE, "a file system or snapshot is destroyed", "zfs destroy -nv", "zfs destroy -r tank/shop", "zfs destroy -nv tank/shop"),
    Verb("zfs", "rollback", "", "", _GONE, "everything after the snapshot is lost", "zfs diff", "zfs rollback -r tank/shop@mon", "zfs list -t snapshot"),
    Verb("zfs", "receive|recv", "-F", "-n", _GONE, "the file system is set back before it receives", "zfs receive -n", "zfs receive -F tank/shop", "zfs receive tank/shop"),
    Verb("zpool", "destroy|labelclear|remove|offline", "", "-n", _GONE, "a pool or a disk of it is taken away", "zpool status", "zpool destroy tank", "zpool status tank"),
    Verb("zpool", "create|add|attach|replace", "-f", "-n", _GONE, "disks are taken though they are in use", "zpool create -n", "zpool create -f tank sdb", "zpool create -n tank sdb"),
    Verb("lvm", "lvremove|vgremove|pvremove|lvreduce", "", _TEST, _GONE, "a volume is removed or cut, with its data", "lvm lvs", "lvm lvremove vg0/shop", "lvm lvs"),
    Verb("lvremove", "*", "", _TEST, _GONE, "a volume is removed or cut, with its data", "lvremove --test", "lvremove -f vg0/shop", "lvremove --test vg0/shop"),
    Verb("btrfs", "su* del*", "", "", _GONE, "a subvolume or snapshot is deleted", "btrfs subvolume list", "btrfs subvolume delete snap1", "btrfs subvolume list ."),
    Verb("btrfs", "device|dev|replace delete|remove|start", "", "", _GONE, "a disk is taken from the file system", "btrfs device usage", "btrfs device remove sdb pool", "btrfs device usage pool"),
    Verb("btrfs", "check|rescue", "--repair --init-csum-tree --init-extent-tree", "", _GONE, "the file system is changed in a way that may break it", "btrfs check --readonly", "btrfs check --repair sdb", "btrfs check --readonly sdb"),
    Verb("mdadm", "**", "--zero-superblock -S --stop -f --fail --set-faulty -r --remove -C --create", "", _GONE, "an array of disks is stopped, changed or forgotten", "mdadm --detail", "mdadm --zero-superblock sdb", "mdadm --detail md0"),
    Verb("cryptsetup", "luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt|luksHeaderRestore|format", "", "", _GONE, "what is on the disk can't be read any more", "cryptsetup luksDump", "cryptsetup -q luksFormat sdb", "cryptsetup luksDump sdb"),
    Verb("wipefs", "**", "-a --all -o --offset", "-n --no-act", _GONE, "the marks by which a file system is known are wiped", "wipefs -n", "wipefs -a sdb", "wipefs sdb"),
    Verb("sgdisk", "**", "-Z --zap-all -z --zap -o --clear -d --delete --wipe --remove", "--no-act", _GONE, "partitions are deleted", "sgdisk --print", "sgdisk --zap-all sdb", "sgdisk --print sdb"),
    Verb("parted", "* rm|mklabel|mktable|resizepart|mkpart", "", "", _GONE, "partitions are deleted or changed", "parted print", "parted -s sdb mklabel gpt", "parted sdb print"),
    Verb("swapoff", "**", "", "-h --help -V --version", _GONE, "memory is taken from running programs", "", "swapoff -a", "swapoff --version"),
    Verb("blkdiscard", "**", "", "-h --help -V --version", _GONE, "everything on the disk is wiped", "", "blkdiscard -f sdb", "blkdiscard --version"),
    Verb("nvme", "format|sanitize|delete-ns|write-zeroes|dsm", "", "", _GONE, "everything on the disk is wiped", "nvme list", "nvme format nvme0n1 --ses=1", "nvme list"),
    Verb("nvme", "**", "--security-erase --security-erase-enhanced --trim-sector-ranges --make-bad-sector --write-sector", "", _GONE, "everything on the disk is wiped", "hdparm -I", "hdparm --user-master u --security-erase x sdb", "hdparm -I sdb"),
    Verb("rclone", "delete|purge|cleanup|rmdirs|deletefile|dedupe", "", "-n --dry-run -i --interactive", _GONE, "files in the store are deleted", "rclone --dry-run", "rclone purge store:shop", "rclone purge store:shop --dry-run"),
    Verb("rclone", "sync|bisync", "", "-n --dry-run -i --interactive", _GONE, "what the source does not have is deleted from the target", "rclone copy, or rclone sync --dry-run", "rclone sync . store:shop", "rclone copy store:shop src"),
    Verb("rclone", "copy|sync|move|copyto|moveto|bisync * *:*", "", "-n --dry-run", _SENT, "files are sent to another store", "rclone --dry-run", "rclone copy src store:shop", "rclone copy store:shop src"),
    Verb("rclone", "rcat|copyurl", "", "-n --dry-run", _SENT, "something is put into another store", "rclone --dry-run", "rclone rcat store:notes.txt", "rclone cat store:notes.txt"),
    Verb("rclone", "serve", "", "", Effect.LISTENS, "files are offered to the network", "", "rclone serve http src", "rclone ls src"),
    Verb("croc", "send", "", "", _SENT, "files are sent to somebody else", "", "croc send notes.txt", "croc 1234-shop"),
    Verb("wormhole", "send|tx|ssh", "", "", _SENT, "files are sent to somebody else", "", "wormhole send notes.txt", "wormhole receive 7-shop"),
    Verb("gist", "*", "", "-l --list -r --read --delete -h", _SENT, "files are put where others can see them", "", "gist notes.txt", "gist --list"),
    Verb("pastebinit", "**", "", "-l -h -v", _SENT, "text is put where others can see it", "", "pastebinit -i notes.txt", "pastebinit -l"),
    Verb("ffsend", "upload|up|u", "", "", _SENT, "files are put where others can get them", "", "ffsend upload notes.txt", "ffsend download x"),
    Verb("ffsend", "files upload", "", "", _SENT, "files are put where others can get them", "", "gdrive files upload notes.txt", "gdrive files list"),
    Verb("restic", "forget|prune|rewrite", "", "-n --dry-run", _GONE, "backups are deleted", "restic forget --dry-run", "restic -r repo forget --keep-last 1 --prune", "restic forget --keep-last 1 --dry-run", "-l --keep-last -d --keep-daily -w --keep-weekly -m --keep-monthly -y --keep-yearly"),
    Verb("restic", "key remove|passwd", "", "", _GONE, "a key to the backups is removed", "restic key list", "restic key remove 1234", "restic key list"),
    Verb("borg", "delete|prune|recreate|compact|break-lock", "", "-n --dry-run", _GONE, "backups are deleted", "borg prune --dry-run", "borg delete repo::mon", "borg prune --dry-run --keep-daily 7 repo"),
    Verb("kopia", "snapshot delete|expire", "", "", _GONE, "backups are deleted", "kopia snapshot list", "kopia snapshot delete 1234", "kopia snapshot list"),
    Verb("kopia", "remove-older-than|remove-all-but-n-full|delete|purge|cleanup", "", "--dry-run", _GONE, "backups are deleted", "duplicity collection-status", "duplicity remove-older-than 1M --force file:///srv/b", "duplicity collection-status file:///srv/b"),
    Verb("rdiff-backup", "**", "--remove-older-than", "", _GONE, "backups are deleted", "rdiff-backup --list-increments", "rdiff-backup --remove-older-than 1M backup", "rdiff-backup --list-increments backup"),
    Verb("snapper", "delete|rm|undochange|rollback|delete-config", "", "", _GONE, "snapshots, or what came after them, are lost", "snapper list", "snapper delete 1-20", "snapper list"),
    Verb("snapper", "**", "--delete --delete-all --restore", "", _GONE, "snapshots, or what came after them, are lost", "timeshift --list", "timeshift --delete-all", "timeshift --list"),
    Verb("ceph", "** rm|remove|delete|purge|destroy|zap|rmpool", "", "", _GONE, "stored data is deleted", "ceph df", "ceph osd pool delete shop shop --yes-i-really-really-mean-it", "ceph osd pool ls"),
    Verb("gluster", "volume delete|stop|reset|remove-brick", "", "", _GONE, "a volume is stopped or deleted", "gluster volume info", "gluster volume delete shop", "gluster volume info shop"),
    Verb("hdfs", "dfs|fs", "-rm&-r -rmr -expunge -skipTrash -rmdir", "", _GONE, "stored data is deleted", "hdfs dfs -ls", "hdfs dfs -rm -r -skipTrash /srv/shop", "hdfs dfs -ls /srv/shop"),
    Verb("hdfs", "namenode", "-format", "", _GONE, "the whole file system is emptied", "", "hdfs namenode -format", "hdfs namenode -metadataVersion"),
    Verb("ipmitool", "** power off|cycle|reset|soft", "", "", _GONE, "a machine is cut off", "ipmitool power status", "ipmitool -H bmc.example.com power off", "ipmitool -H bmc.example.com power status"),
    Verb("journalctl", "**", "--vacuum-size --vacuum-time --vacuum-files", "", _GONE, "the system's log is deleted", "journalctl --disk-usage", "journalctl --vacuum-time=1s", "journalctl --disk-usage"),
)
