"""Verbs of containers and virtual machines: what deletes their data, and what lets them out onto the host.

The commands that run inside a container are followed elsewhere.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_GONE = Effect.MUTATES
_OUT = Effect.ESCALATES
_LEADING = "before operands"
_RUN = (
    "-a --attach --add-host --annotation --blkio-weight --blkio-weight-device --cap-add --cap-drop --cgroup-parent --cgroupns --cidfile"
    " --cpu-period --cpu-quota -c --cpu-shares --cpus --cpuset-cpus --cpuset-mems --detach-keys --device --device-cgroup-rule"
    " --device-read-bps --device-write-bps --dns --dns-option --dns-search --domainname --entrypoint -e --env --env-file --expose"
    " --gpus --group-add --health-cmd --health-interval --health-retries --health-timeout -h --hostname --ip --ip6 --ipc --isolation"
    " -l --label --label-file --link --log-driver --log-opt --mac-address -m --memory --memory-reservation --memory-swap --mount --name"
    " --net --network --network-alias --pid --pids-limit --platform -p --publish --pull --restart --runtime --secret --security-opt"
    " --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit -u --user --userns --uts -v --volume"
    " --volume-driver --volumes-from -w --workdir --pod --arch --os"
)
_EXEC = "-e --env --env-file -u --user -w --workdir --detach-keys"
_RUNNING = "run|create"
_COMPOSE = "-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress -t --timeout --rmi"
_HOST_PATHS = (
    "-v=/:* --volume=/:* -v=/etc:* --volume=/etc:* -v=/root:* --volume=/root:* -v=/proc:* --volume=/proc:* -v=/dev:* --volume=/dev:*"
    " -v=/sys:* --volume=/sys:* -v=/boot:* --volume=/boot:* -v=/home:* --volume=/home:* -v=/usr:* --volume=/usr:* -v=/var:* --volume=/var:*"
    " --mount=*src=/ --mount=*src=/,* --mount=*source=/ --mount=*source=/,* --mount=*src=/etc,* --mount=*source=/etc,*"
    " --mount=*src=/root,* --mount=*source=/root,*"
)
_SOCKETS = (
    "-v=*docker.sock:* --volume=*docker.sock:* --mount=*docker.sock* -v=*containerd.sock:* --volume=*containerd.sock:*"
    " --mount=*containerd.sock* -v=/run:* -v=/var/run:* --volume=/run:* --volume=/var/run:*"
)
_POWERS = (
    "--cap-add=all --cap-add=*sys_admin --cap-add=*sys_ptrace --cap-add=*sys_module --cap-add=*sys_rawio --cap-add=*dac_read_search"
    " --device=/dev/sd* --device=/dev/nvme* --device=/dev/vd* --device=/dev/mem* --device=/dev/kmem* --security-opt=*=unconfined"
    " --security-opt=*:unconfined"
)

TOOLS: tuple[Tool, ...] = (
    Tool("docker podman nerdctl", "-H --host --context --config --log-level --tlscacert --tlscert --tlskey --connection --url --identity --root --storage-driver --address --namespace"),
    Tool("docker-compose podman-compose", _COMPOSE + " -H --host --context"),
    Tool("vagrant"),
    Tool("virsh", "-c --connect -d --debug -l --log"),
    Tool("multipass"),
    Tool("VBoxManage vboxmanage vbox-manage"),
    Tool("lxc incus", "--project"),
    Tool("colima limactl minikube kind k3d", "-p --profile -n --name --kubeconfig"),
    Tool("qm pct pvesh"),
)

VERBS: tuple[Verb, ...] = (
    Verb("docker", "system prune", "", "", _GONE, "stopped containers, networks and images are deleted", "docker system df", "docker system prune -af --volumes", "docker system df"),
    Verb("docker", "system reset", "", "", _GONE, "every container, image and volume is deleted", "", "podman system reset", "podman system info"),
    Verb("docker", "machine rm|reset", "", "", _GONE, "the machine is deleted with its containers and volumes", "podman machine stop", "podman machine rm -f", "podman machine stop"),
    Verb("docker", "volume rm|remove|prune", "", "", _GONE, "volumes are deleted with their data", "docker volume ls", "docker volume rm pgdata", "docker volume ls"),
    Verb("docker", "compose down|rm", "-v --volumes", "--dry-run", _GONE, "the volumes of these services are deleted with their data", "docker compose down", "docker compose -f dev.yml down -v", "docker compose -f dev.yml down", _COMPOSE),
    Verb("docker-compose", "down|rm", "-v --volumes", "--dry-run", _GONE, "the volumes of these services are deleted with their data", "docker-compose down", "docker-compose down --volumes", "docker-compose up -d"),
    Verb("docker", "stack|service|node|secret|config rm|remove", "", "", _GONE, "a part of the swarm is deleted", "", "docker stack rm shop", "docker stack ps shop"),
    Verb("docker", "swarm leave", "-f --force", "", _GONE, "the swarm loses a manager, and maybe its state", "docker node demote", "docker swarm leave --force", "docker swarm leave"),
    Verb("docker", _RUNNING, "--privileged", "", _OUT, "the container gets all powers over the host", "docker run --cap-add, one power only", "docker run --rm --privileged alpine", "docker run --rm alpine ls --privileged", _RUN, _LEADING),
    Verb("docker", "container run|create", "--privileged", "", _OUT, "the container gets all powers over the host", "docker run --cap-add, one power only", "docker container run --privileged alpine", "docker container run alpine", _RUN, _LEADING),
    Verb("docker", "exec", "--privileged", "", _OUT, "the command gets all powers over the host", "docker exec", "docker exec --privileged web sh", "docker exec web sh", _EXEC, _LEADING),
    Verb("docker", _RUNNING, _HOST_PATHS, "", _OUT, "the container gets directories of the host's system", "docker run -v with one directory", "docker run -v /:/host alpine", "docker run -v /srv/data:/data alpine", _RUN, _LEADING),
    Verb("docker", "container run|create", _HOST_PATHS, "", _OUT, "the container gets directories of the host's system", "docker run -v with one directory", "docker container run --mount type=bind,src=/,dst=/host alpine", "docker container run -v ./src:/src alpine", _RUN, _LEADING),
    Verb("docker", _RUNNING, _SOCKETS, "", _OUT, "the container may start others with all powers over the host", "", "docker run -v /var/run/docker.sock:/var/run/docker.sock alpine", "docker run -v data:/data alpine", _RUN, _LEADING),
    Verb("docker", "container run|create", _SOCKETS, "", _OUT, "the container may start others with all powers over the host", "", "docker container run -v /var/run/docker.sock:/s alpine", "docker container run -v data:/data alpine", _RUN, _LEADING),
    Verb("docker", _RUNNING, "--pid=host --userns=host --cgroupns=host", "", _OUT, "the container sees and signals the host's processes", "", "docker run --pid=host alpine", "docker run --network=host alpine", _RUN, _LEADING),
    Verb("docker", _RUNNING, _POWERS, "", _OUT, "the container gets powers that lead onto the host", "", "docker run --cap-add SYS_ADMIN alpine", "docker run --cap-add NET_BIND_SERVICE alpine", _RUN, _LEADING),
    Verb("docker", _RUNNING, "-H=tcp:* --host=tcp:*", "", _OUT, "a container is started on another machine, past its log-in", "docker --context", "docker -H tcp://build.example.com:2375 run alpine", "docker -H tcp://build.example.com:2375 ps", _RUN, _LEADING),
    Verb("vagrant", "destroy", "", "", _GONE, "the virtual machine is deleted with its data", "vagrant halt", "vagrant destroy -f", "vagrant halt"),
    Verb("vagrant", "snapshot delete", "", "", _GONE, "a snapshot is deleted", "vagrant snapshot list", "vagrant snapshot delete before", "vagrant snapshot list"),
    Verb("virsh", "destroy|reset|undefine", "", "", _GONE, "the virtual machine is cut off or forgotten", "virsh shutdown", "virsh undefine web --remove-all-storage", "virsh list --all"),
    Verb("virsh", "vol-delete|vol-wipe|pool-delete|pool-destroy|pool-undefine|snapshot-delete|snapshot-revert|checkpoint-delete", "", "", _GONE, "disks or snapshots of virtual machines are lost", "", "virsh vol-delete web.qcow2 --pool default", "virsh vol-list default"),
    Verb("multipass", "delete|purge", "", "", _GONE, "the virtual machine is deleted with its data", "multipass stop", "multipass delete --purge web", "multipass stop web"),
    Verb("VBoxManage", "unregistervm|closemedium", "--delete --delete-all", "", _GONE, "the virtual machine or disk is deleted", "", "VBoxManage unregistervm web --delete", "VBoxManage unregistervm web"),
    Verb("VBoxManage", "snapshot * delete|restore|restorecurrent", "", "", _GONE, "a snapshot, or what came after it, is lost", "", "VBoxManage snapshot web delete before", "VBoxManage snapshot web list"),
    Verb("lxc", "delete|rm", "", "", _GONE, "the container is deleted with its data", "lxc stop", "lxc delete --force web", "lxc stop web"),
    Verb("lxc", "storage|network|profile|project|image|snapshot delete|rm", "", "", _GONE, "a part of the container host is deleted", "", "lxc storage delete pool1", "lxc storage list"),
    Verb("lxc", "launch|init|config", "-c=security.privileged=true --config=security.privileged=true", "", _OUT, "the container's root is the host's root", "", "lxc launch ubuntu:24.04 web -c security.privileged=true", "lxc launch ubuntu:24.04 web", "-c --config"),
    Verb("lxc", "config ** security.privileged|security.privileged=true|source=/", "", "", _OUT, "the container's root is the host's root", "", "lxc config set web security.privileged true", "lxc config show web"),
    Verb("colima", "delete|purge|prune", "", "", _GONE, "the machine is deleted with its data", "", "minikube delete --all", "minikube stop"),
    Verb("colima", "cluster delete", "", "", _GONE, "the cluster is deleted with its data", "", "k3d cluster delete dev", "k3d cluster list"),
    Verb("qm", "destroy|delsnapshot|rollback", "", "", _GONE, "the virtual machine or a snapshot is lost", "", "qm destroy 101 --purge", "qm shutdown 101"),
    Verb("qm", "delete", "", "", _GONE, "a part of the virtual machine host is deleted", "", "pvesh delete /nodes/n1/qemu/101", "pvesh get /nodes"),
)
