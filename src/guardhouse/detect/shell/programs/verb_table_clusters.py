"""Verbs of clusters and of infrastructure kept as code: what tears it down, or changes it without a look at the plan.

Ordinary deployment (`apply -f`, `rollout`, `scale`, `upgrade`) is not here.
"""
# A table, one entry a line.
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from guardhouse.detect.acts import Scope
from guardhouse.detect.shell.programs.interface import Tool, Verb
from guardhouse.model import Effect

_GONE = Effect.MUTATES
_SHOWS = Effect.READS
_MORE = Effect.ESCALATES
_SECRETS = "-o=yaml -o=json -o=json* -o=go-template* -o=template* -o=custom-columns* --output=yaml --output=json* --output=go-template* --output=template* --output=custom-columns* --template"

TOOLS: tuple[Tool, ...] = (
    Tool("kubectl oc k kubectl.exe microk8s.kubectl k3s-kubectl", "-n --namespace -f --filename -l --selector -o --output --context --cluster --kubeconfig --user --as --as-group -s --server --token -c --container --field-selector -k --kustomize --grace-period --timeout --template --request-timeout", Scope.CLOUD),
    Tool("helm helmfile", "-n --namespace --kube-context --kubeconfig -f --values --set --set-string --set-file --version --timeout --environment -e -l --selector", Scope.CLOUD),
    Tool("terraform tofu terragrunt", "-var -var-file -target -replace -out -state -lock-timeout -parallelism", Scope.CLOUD),
    Tool("pulumi", "-s --stack -C --cwd -c --config --config-file -m --message -p --parallel -t --target --color", Scope.CLOUD),
    Tool("cdk cdktf sam serverless sls copilot eksctl kops", "-a --app -c --context --profile -o --output --stack-name --region -n --name --stage -s", Scope.CLOUD),
    Tool("ansible", "-i --inventory -m --module-name -a --args -u --user -l --limit -e --extra-vars -f --forks --become-user -t --tree --private-key", Scope.REMOTE),
    Tool("argocd flux", "--server --auth-token -n --namespace --context --kubeconfig", Scope.CLOUD),
    Tool("nomad", "-address -region -namespace -token", Scope.CLOUD),
    Tool("velero", "-n --namespace --kubeconfig", Scope.CLOUD),
    Tool("etcdctl", "--endpoints --cacert --cert --key --user --password", Scope.REMOTE),
    Tool("consul", "-http-addr -token -datacenter", Scope.REMOTE),
    Tool("vault bao", "-address -namespace -mount -ca-cert", Scope.REMOTE),
)

VERBS: tuple[Verb, ...] = (
    Verb("kubectl", "delete", "", "--dry-run", _GONE, "objects of the cluster are deleted", "kubectl delete --dry-run=client", "kubectl -n shop delete deployment web", "kubectl delete pod web --dry-run=client"),
    Verb("kubectl", "drain", "", "--dry-run", _GONE, "everything that runs on the node is moved off it", "kubectl cordon", "kubectl drain node-1 --ignore-daemonsets", "kubectl cordon node-1"),
    Verb("kubectl", "taint ** *:noexecute", "", "--dry-run", _GONE, "everything that runs on the node is moved off it", "kubectl cordon", "kubectl taint nodes n1 old=yes:NoExecute", "kubectl taint nodes n1 old=yes:NoSchedule"),
    Verb("kubectl", "replace", "--force", "--dry-run", _GONE, "objects are deleted and made anew", "kubectl apply", "kubectl replace --force -f web.yml", "kubectl replace -f web.yml"),
    Verb("kubectl", "apply", "--prune", "--dry-run", _GONE, "objects that the files do not name are deleted", "kubectl diff", "kubectl apply --prune -l app=web -f web.yml", "kubectl apply -f web.yml"),
    Verb("kubectl", "create clusterrolebinding|rolebinding|clusterrole", "", "--dry-run", _MORE, "someone gets more rights in the cluster", "", "kubectl create clusterrolebinding ops --clusterrole=admin --user=ann", "kubectl create namespace shop"),
    Verb("kubectl", "certificate approve", "", "", _MORE, "someone gets a certificate of the cluster", "kubectl describe csr", "kubectl certificate approve ann", "kubectl get csr"),
    Verb("kubectl", "adm policy add-*", "", "--dry-run", _MORE, "someone gets more rights in the cluster", "", "oc adm policy add-cluster-role-to-user admin ann", "oc adm policy who-can get pods"),
    Verb("kubectl", "proxy", "--address=0.0.0.0 --disable-filter", "", Effect.LISTENS, "the cluster is opened to the network, without a log-in", "kubectl proxy", "kubectl proxy --address=0.0.0.0", "kubectl proxy --port=8001", "--address --accept-hosts"),
    Verb("kubectl", "debug node/*", "", "", _MORE, "a shell on the node itself is opened", "kubectl debug of one pod", "kubectl debug node/n1 -it --image=busybox", "kubectl debug web -it --image=busybox"),
    Verb("kubectl", "run", "--overrides=*privileged* --overrides=*hostpid* --overrides=*hostpath* --privileged", "", _MORE, "the container gets all powers over the node", "", "kubectl run x --image=alpine --privileged", "kubectl run x --image=alpine", "--image --overrides"),
    Verb("kubectl", "get secret|secrets|secret/*|secrets/*|secret,*|secrets,*|*,secret|*,secrets", _SECRETS, "", _SHOWS, "secrets of the cluster are shown", "kubectl describe secret", "kubectl get secret db -o yaml", "kubectl get secrets -o wide"),
    Verb("kubectl", "create token", "", "", _SHOWS, "a token of a service account is shown", "", "kubectl create token builder", "kubectl create configmap web"),
    Verb("kubectl", "config view", "--raw", "", _SHOWS, "the keys to the clusters are shown", "kubectl config view", "kubectl config view --raw", "kubectl config view --minify"),
    Verb("kubectl", "whoami", "-t --show-token", "", _SHOWS, "the token of the log-in is shown", "oc whoami", "oc whoami -t", "oc whoami"),
    Verb("kubectl", "extract secret/*|secrets/*", "", "", _SHOWS, "secrets of the cluster are shown", "", "oc extract secret/db --to=-", "oc extract configmap/web"),
    Verb("helm", "uninstall|delete|del|un|destroy", "", "--dry-run", _GONE, "the release is removed from the cluster with its history", "helm uninstall --dry-run", "helm -n shop uninstall web", "helm uninstall web --dry-run"),
    Verb("helm", "upgrade|install", "--force --force-replace", "--dry-run", _GONE, "objects are deleted and made anew", "helm upgrade", "helm upgrade web ./chart --force", "helm upgrade web ./chart --install"),
    Verb("terraform", "apply", "-auto-approve --auto-approve", "", _GONE, "infrastructure is changed without a look at the plan", "terraform plan -out=tfplan, then terraform apply tfplan", "terraform apply -auto-approve", "terraform apply tfplan"),
    Verb("terraform", "destroy|destroy-all", "", "-help", _GONE, "the infrastructure is torn down", "terraform plan -destroy", "terraform -chdir=prod destroy", "terraform plan -destroy"),
    Verb("terraform", "apply", "-destroy --destroy", "", _GONE, "the infrastructure is torn down", "terraform plan -destroy", "terraform apply -destroy", "terraform plan -destroy -out=tfplan"),
    Verb("terraform", "state rm|push|replace-provider", "", "-dry-run", _GONE, "the record of what exists is changed", "terraform state list", "terraform state rm aws_instance.web", "terraform state list"),
    Verb("terraform", "workspace delete", "", "", _GONE, "a workspace is deleted with its record of what exists", "terraform workspace list", "terraform workspace delete old", "terraform workspace select dev"),
    Verb("terraform", "force-unlock", "", "", _GONE, "the lock that keeps two changes apart is broken", "", "terraform force-unlock -force 1234", "terraform plan -lock=true"),
    Verb("terraform", "run-all|run destroy", "", "", _GONE, "the infrastructure of every unit is torn down", "terragrunt run-all plan -destroy", "terragrunt run-all destroy", "terragrunt run-all plan"),
    Verb("terraform", "run-all apply", "", "", _GONE, "the infrastructure of every unit is changed without a look", "terragrunt run-all plan", "terragrunt run-all apply", "terragrunt run-all validate"),
    Verb("pulumi", "destroy|down|dn", "", "--preview-only", _GONE, "the infrastructure is torn down", "pulumi destroy --preview-only", "pulumi destroy --yes", "pulumi preview"),
    Verb("pulumi", "up|update", "-y --yes -f --skip-preview", "", _GONE, "infrastructure is changed without a look at the plan", "pulumi preview", "pulumi up --yes", "pulumi up"),
    Verb("pulumi", "stack rm", "", "", _GONE, "a stack is deleted with its record of what exists", "pulumi stack ls", "pulumi stack rm dev", "pulumi stack ls"),
    Verb("pulumi", "state delete", "", "", _GONE, "the record of what exists is changed", "", "pulumi state delete urn:x", "pulumi stack export"),
    Verb("pulumi", "config|stack", "--show-secrets", "", _SHOWS, "secrets of the stack are shown", "pulumi config", "pulumi config --show-secrets", "pulumi config"),
    Verb("cdk", "destroy", "", "", _GONE, "the stacks are torn down", "cdk diff", "cdk destroy --all", "cdk diff"),
    Verb("cdk", "deploy", "--require-approval=never --auto-approve", "", _GONE, "wider rights are given without a look", "cdk deploy", "cdk deploy --require-approval never", "cdk deploy", "--require-approval"),
    Verb("cdk", "delete|remove", "", "", _GONE, "the stacks are torn down", "", "serverless remove --stage prod", "serverless info"),
    Verb("cdk", "app|env|svc|job|pipeline|storage delete|rm", "", "", _GONE, "the service is torn down", "", "copilot app delete", "copilot app ls"),
    Verb("ansible", "**", "-a=*state=absent* --args=*state=absent*", "-C --check", _GONE, "things are removed from many machines", "ansible --check", "ansible all -m file -a 'path=/srv/old state=absent'", "ansible all -m ping"),
    Verb("argocd", "app|appset|proj|cluster|repo delete|rm", "", "", _GONE, "applications are removed from the cluster", "argocd app diff", "argocd app delete shop", "argocd app list"),
    Verb("argocd", "app sync", "--force --prune --replace", "--dry-run", _GONE, "objects of the cluster are deleted", "argocd app diff", "argocd app sync shop --prune", "argocd app sync shop"),
    Verb("argocd", "uninstall|delete", "", "--dry-run", _GONE, "what keeps the cluster up to date is removed", "", "flux uninstall", "flux check"),
    Verb("nomad", "job|system|namespace|volume|node stop|delete|gc|deregister|purge", "-purge --purge", "", _GONE, "a job is deleted with its history", "nomad job stop", "nomad job stop -purge web", "nomad job stop web"),
    Verb("nomad", "namespace|volume|var delete|purge", "", "", _GONE, "volumes or settings are deleted", "", "nomad volume delete db", "nomad volume status db"),
    Verb("velero", "backup|schedule|restore delete", "", "", _GONE, "backups are deleted", "", "velero backup delete nightly", "velero backup get"),
    Verb("velero", "delete|uninstall", "", "", _GONE, "backups are deleted", "", "velero delete backup nightly", "velero get backups"),
    Verb("etcdctl", "del|rm|rmdir", "", "", _GONE, "keys are deleted", "etcdctl get", "etcdctl del --prefix /shop", "etcdctl get --prefix /shop"),
    Verb("etcdctl", "member remove", "", "", _GONE, "a member is removed from the cluster", "etcdctl member list", "etcdctl member remove 8211f1d0", "etcdctl member list"),
    Verb("etcdctl", "auth disable", "", "", _GONE, "anyone may read and write", "", "etcdctl auth disable", "etcdctl auth status"),
    Verb("etcdctl", "user|role add|grant-role|grant-permission|passwd", "", "", _MORE, "someone gets more rights", "", "etcdctl user add ann", "etcdctl user list"),
    Verb("consul", "kv delete", "", "", _GONE, "keys are deleted", "consul kv get", "consul kv delete -recurse shop", "consul kv get shop"),
    Verb("consul", "force-leave", "", "", _GONE, "a member is removed from the cluster", "consul members", "consul force-leave n1", "consul members"),
    Verb("consul", "operator raft remove-peer", "", "", _GONE, "a member is removed from the cluster", "consul operator raft list-peers", "consul operator raft remove-peer -id=n1", "consul operator raft list-peers"),
    Verb("consul", "acl token|policy|role create|update|delete", "", "", _MORE, "rights are given or taken", "", "consul acl token create -policy-name=global-management", "consul acl token list"),
    Verb("consul", "acl bootstrap", "", "", _MORE, "a token with all rights is made", "", "consul acl bootstrap", "consul acl policy list"),
    Verb("vault", "delete", "", "", _GONE, "a secret or a setting is deleted", "vault read", "vault delete secret/shop", "vault read secret/shop"),
    Verb("vault", "kv delete|destroy", "", "", _GONE, "a secret is deleted", "vault kv get", "vault kv destroy -versions=1 secret/shop", "vault kv get secret/shop"),
    Verb("vault", "kv metadata delete", "", "", _GONE, "a secret is deleted with all its versions", "vault kv metadata get", "vault kv metadata delete secret/shop", "vault kv metadata get secret/shop"),
    Verb("vault", "secrets|auth|audit disable", "", "", _GONE, "secrets, a way to log in, or the audit log are removed", "vault secrets list", "vault audit disable file", "vault audit list"),
    Verb("vault", "policy write|delete", "", "", _MORE, "rights are given or taken", "vault policy read", "vault policy write all all.hcl", "vault policy read all"),
    Verb("vault", "operator seal|generate-root|rekey|init|step-down", "", "-status", _MORE, "the vault is closed, or its master keys are made anew", "vault status", "vault operator generate-root -init", "vault operator members"),
    Verb("vault", "token|lease revoke", "", "", _GONE, "those who use it are locked out", "", "vault lease revoke -prefix aws/", "vault token lookup"),
    Verb("vault", "token create", "-policy=root -orphan", "", _MORE, "a token with all rights is made", "", "vault token create -policy=root", "vault token create -policy=shop -ttl=1h", "-policy"),
)
