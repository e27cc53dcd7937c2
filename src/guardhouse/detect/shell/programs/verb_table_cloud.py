"""Verbs of the cloud providers' own tools: what deletes, what shows or makes credentials, and what opens to the world.

Reading and ordinary deployment are not here.
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
_OPEN = Effect.MUTATES
_DRY = "--dry-run --generate-cli-skeleton"
_WORLD = "--cidr=0.0.0.0/0 --cidr=::/0 --ip-permissions=*0.0.0.0/0* --ip-permissions=*::/0*"

TOOLS: tuple[Tool, ...] = (
    Tool("aws awslocal", "--profile --region --output --endpoint-url --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout", Scope.CLOUD),
    Tool("gcloud", "--project --account --configuration --format --filter --zone --region --location --impersonate-service-account --verbosity --billing-project", Scope.CLOUD),
    Tool("gsutil", "-o -h -u -i", Scope.CLOUD),
    Tool("bq", "--project_id --dataset_id --location --format --job_id", Scope.CLOUD),
    Tool("az", "--subscription -g --resource-group -n --name -o --output --query", Scope.CLOUD),
    Tool("doctl", "-t --access-token -c --config --context -o --output -u --api-url", Scope.CLOUD),
    Tool("linode-cli hcloud scw exo civo vultr-cli oci ibmcloud aliyun tccli", "--profile --region --context -p -r --output -o", Scope.CLOUD),
    Tool("openstack nova", "--os-cloud --os-project-name --os-username --os-password --os-auth-url", Scope.CLOUD),
    Tool("s3cmd", "-c --config --access_key --secret_key --region --host --host-bucket", Scope.CLOUD),
    Tool("s5cmd", "--endpoint-url --profile --credentials-file", Scope.CLOUD),
    Tool("mc", "-C --config-dir", Scope.CLOUD),
)

VERBS: tuple[Verb, ...] = (
    Verb("aws", "* delete-*|batch-delete-*", "", _DRY, _GONE, "a resource of the cloud account is deleted", "the same with --dry-run, where it exists", "aws dynamodb delete-table --table-name orders", "aws dynamodb describe-table --table-name orders"),
    Verb("aws", "* terminate-*", "", _DRY, _GONE, "machines are deleted with their local data", "aws ec2 stop-instances", "aws ec2 terminate-instances --instance-ids i-1", "aws ec2 run-instances --instance-initiated-shutdown-behavior terminate"),
    Verb("aws", "* deregister-image|deregister-*-cluster|release-hosts|purge-queue|abort-environment-update|rebuild-environment|reboot-cache-cluster|reset-*", "", _DRY, _GONE, "a resource of the cloud account is reset or removed", "", "aws sqs purge-queue --queue-url https://sqs.example.com/q", "aws sqs list-queues"),
    Verb("aws", "s3 rb", "", "", _GONE, "a bucket is deleted", "aws s3 ls", "aws s3 rb s3://shop --force", "aws s3 mb s3://shop"),
    Verb("aws", "s3 rm", "--recursive", "--dryrun", _GONE, "everything below it is deleted from the bucket", "aws s3 rm --recursive --dryrun", "aws s3 rm s3://shop/logs --recursive", "aws s3 rm s3://shop/logs --recursive --dryrun"),
    Verb("aws", "s3 sync", "--delete", "--dryrun", _GONE, "what the source does not have is deleted from the target", "aws s3 sync --delete --dryrun", "aws s3 sync . s3://shop --delete", "aws s3 sync . s3://shop"),
    Verb("aws", "kms schedule-key-deletion|disable-key", "", "", _GONE, "what the key encrypts can't be read any more", "", "aws kms schedule-key-deletion --key-id k", "aws kms list-keys"),
    Verb("aws", "cloudtrail|configservice|config|guardduty|securityhub stop-*|disable-*|disassociate-*", "", "", _OPEN, "the account's log or watch is switched off", "", "aws cloudtrail stop-logging --name main", "aws cloudtrail describe-trails"),
    Verb("aws", "guardduty update-detector", "--no-enable", "", _OPEN, "the account's watch is switched off", "", "aws guardduty update-detector --detector-id d --no-enable", "aws guardduty list-detectors"),
    Verb("aws", "organizations leave-organization|close-account|remove-account-from-organization", "", "", _GONE, "an account is closed or cut off", "", "aws organizations close-account --account-id 1", "aws organizations list-accounts"),
    Verb("aws", "rds|redshift|docdb|neptune modify-*", "--publicly-accessible --no-deletion-protection", "", _OPEN, "a database is opened to the world, or may be deleted", "", "aws rds modify-db-instance --db-instance-identifier d --no-deletion-protection", "aws rds describe-db-instances"),
    Verb("aws", "iam create-access-key|create-login-profile|update-login-profile|create-user|create-service-specific-credential|upload-ssh-public-key|upload-signing-certificate", "", "", _MORE, "a new way to log in to the account is made", "", "aws iam create-access-key --user-name ann", "aws iam list-access-keys"),
    Verb("aws", "iam attach-*|put-*-policy|add-user-to-group|add-role-to-instance-profile|create-policy-version|set-default-policy-version|update-assume-role-policy", "", "", _MORE, "someone gets more rights in the account", "", "aws iam attach-user-policy --user-name ann --policy-arn a", "aws iam list-attached-user-policies --user-name ann"),
    Verb("aws", "iam deactivate-mfa-device|update-account-password-policy", "", "", _MORE, "the log-in is made weaker", "", "aws iam deactivate-mfa-device --user-name ann --serial-number s", "aws iam list-mfa-devices"),
    Verb("aws", "secretsmanager get-secret-value|batch-get-secret-value", "", "", _SHOWS, "a secret is shown", "aws secretsmanager describe-secret", "aws secretsmanager get-secret-value --secret-id db", "aws secretsmanager list-secrets"),
    Verb("aws", "ssm get-parameter|get-parameters|get-parameters-by-path|get-parameter-history", "--with-decryption", "", _SHOWS, "a secret is shown", "aws ssm describe-parameters", "aws ssm get-parameter --name db --with-decryption", "aws ssm get-parameter --name region"),
    Verb("aws", "sts get-session-token|get-federation-token", "", "", _SHOWS, "credentials of the account are shown", "aws sts get-caller-identity", "aws sts get-session-token", "aws sts get-caller-identity"),
    Verb("aws", "configure export-credentials", "", "", _SHOWS, "credentials of the account are shown", "aws configure list", "aws configure export-credentials", "aws configure list"),
    Verb("aws", "ec2 get-password-data", "", "", _SHOWS, "a machine's password is shown", "", "aws ec2 get-password-data --instance-id i-1", "aws ec2 describe-instances"),
    Verb("aws", "ssm send-command", "", "", Effect.EXECUTES, "a command is run on machines of the account", "", "aws ssm send-command --document-name AWS-RunShellScript", "aws ssm list-commands"),
    Verb("aws", "ec2 authorize-security-group-ingress", _WORLD, _DRY, _OPEN, "a port is opened to the whole internet", "--cidr with one network", "aws ec2 authorize-security-group-ingress --group-id g --port 22 --cidr 0.0.0.0/0", "aws ec2 authorize-security-group-ingress --group-id g --port 22 --cidr 10.0.0.0/8", "--cidr --ip-permissions"),
    Verb("aws", "s3api put-public-access-block|put-bucket-policy|put-bucket-versioning|put-bucket-lifecycle-configuration", "", _DRY, _OPEN, "who may read the bucket, or what it keeps, is changed", "", "aws s3api put-bucket-policy --bucket shop --policy file://p.json", "aws s3api get-bucket-policy --bucket shop"),
    Verb("aws", "s3api|s3 put-bucket-acl|put-object-acl|cp|sync|mv", "--acl=public-*", "--dryrun", _OPEN, "files are opened to the whole internet", "", "aws s3 cp a.txt s3://shop/ --acl public-read", "aws s3 cp a.txt s3://shop/", "--acl"),
    Verb("aws", "ec2|rds modify-snapshot-attribute|modify-image-attribute|modify-db-snapshot-attribute|modify-db-cluster-snapshot-attribute", "", _DRY, _OPEN, "a copy of a disk or database is given to others", "", "aws ec2 modify-snapshot-attribute --snapshot-id s --group-names all", "aws ec2 describe-snapshots"),
    Verb("gcloud", "** delete|destroy|purge", "", "", _GONE, "a resource of the cloud account is deleted", "the same with describe", "gcloud --project shop compute instances delete web", "gcloud compute instances list"),
    Verb("gcloud", "storage rm", "-r -R --recursive -a --all-versions", "", _GONE, "everything below it is deleted from the bucket", "gcloud storage ls", "gcloud storage rm -r gs://shop", "gcloud storage ls gs://shop"),
    Verb("gcloud", "storage rsync", "--delete-unmatched-destination-objects", "--dry-run", _GONE, "what the source does not have is deleted from the target", "gcloud storage rsync --dry-run", "gcloud storage rsync . gs://shop --delete-unmatched-destination-objects", "gcloud storage rsync . gs://shop"),
    Verb("gcloud", "** add-iam-policy-binding|set-iam-policy", "", "", _MORE, "someone gets more rights in the account", "gcloud projects get-iam-policy", "gcloud projects add-iam-policy-binding shop --member=user:a@example.com --role=roles/owner", "gcloud projects get-iam-policy shop"),
    Verb("gcloud", "iam service-accounts keys create|upload", "", "", _MORE, "a new way to log in to the account is made", "", "gcloud iam service-accounts keys create key.json --iam-account=a", "gcloud iam service-accounts list"),
    Verb("gcloud", "** print-access-token|print-identity-token|print-refresh-token", "", "", _SHOWS, "a token of the log-in is shown", "gcloud auth list", "gcloud auth application-default print-access-token", "gcloud auth list"),
    Verb("gcloud", "secrets versions access", "", "", _SHOWS, "a secret is shown", "gcloud secrets versions describe", "gcloud secrets versions access latest --secret=db", "gcloud secrets versions list db"),
    Verb("gcloud", "sql users set-password|create", "", "", _MORE, "a way to log in to the database is made or changed", "", "gcloud sql users set-password root --instance=db", "gcloud sql users list --instance=db"),
    Verb("gcloud", "sql backups restore|instances", "--backup-id", "", _GONE, "the database is overwritten", "", "gcloud sql backups restore 1 --backup-id=1", "gcloud sql backups list"),
    Verb("gcloud", "compute firewall-rules create|update", "--source-ranges=*0.0.0.0/0*", "", _OPEN, "a port is opened to the whole internet", "--source-ranges with one network", "gcloud compute firewall-rules create ssh --allow tcp:22 --source-ranges 0.0.0.0/0", "gcloud compute firewall-rules list", "--source-ranges"),
    Verb("gcloud", "services disable", "", "", _GONE, "a service is switched off for the whole project", "", "gcloud services disable sql.example.com", "gcloud services list"),
    Verb("gsutil", "rm", "-r -R -a", "", _GONE, "everything below it is deleted from the bucket", "gsutil ls", "gsutil -m rm -r gs://shop", "gsutil ls gs://shop"),
    Verb("gsutil", "rb", "", "", _GONE, "a bucket is deleted", "gsutil ls", "gsutil rb gs://shop", "gsutil mb gs://shop"),
    Verb("gsutil", "rsync", "-d", "-n", _GONE, "what the source does not have is deleted from the target", "gsutil rsync -n", "gsutil rsync -dr . gs://shop", "gsutil rsync -r . gs://shop"),
    Verb("gsutil", "iam|acl|defacl ** allusers*|*public-read*", "", "", _OPEN, "the bucket is opened to the whole internet", "", "gsutil iam ch allUsers:objectViewer gs://shop", "gsutil iam get gs://shop"),
    Verb("gsutil", "acl|defacl ch", "-u=allusers*", "", _OPEN, "the bucket is opened to the whole internet", "", "gsutil acl ch -u AllUsers:R gs://shop/a.txt", "gsutil acl get gs://shop/a.txt"),
    Verb("bq", "rm", "", "", _GONE, "tables are deleted with their data", "bq ls", "bq rm -r -f shop", "bq ls shop"),
    Verb("az", "** delete|purge|delete-batch", "", "", _GONE, "a resource of the cloud account is deleted", "the same with show", "az group delete --name shop --yes", "az group show --name shop"),
    Verb("az", "keyvault secret|key|certificate show|download|backup", "", "", _SHOWS, "a secret is shown", "az keyvault secret list", "az keyvault secret show --vault-name v --name db", "az keyvault secret list --vault-name v"),
    Verb("az", "account get-access-token", "", "", _SHOWS, "a token of the log-in is shown", "az account show", "az account get-access-token", "az account show"),
    Verb("az", "** keys|key list", "", "", _SHOWS, "keys of the account are shown", "", "az storage account keys list --account-name shop", "az storage account list"),
    Verb("az", "** list-keys|show-connection-string|list-connection-strings|list-publishing-credentials|list-publishing-profiles|generate-sas", "", "", _SHOWS, "keys of the account are shown", "", "az storage account show-connection-string --name shop", "az webapp list"),
    Verb("az", "acr credential show", "", "", _SHOWS, "a password of the registry is shown", "az acr show", "az acr credential show --name shop", "az acr show --name shop"),
    Verb("az", "aks get-credentials", "-a --admin", "", _MORE, "all rights in the cluster are taken", "az aks get-credentials", "az aks get-credentials --name c --admin", "az aks get-credentials --name c"),
    Verb("az", "ad sp create-for-rbac", "", "", _MORE, "a new way to log in to the account is made", "", "az ad sp create-for-rbac --name ci", "az ad sp list"),
    Verb("az", "ad sp|app credential reset", "", "", _MORE, "a way to log in is made, the old one ends", "", "az ad sp credential reset --id ci", "az ad sp credential list --id ci"),
    Verb("az", "role assignment|definition create|update", "", "", _MORE, "someone gets more rights in the account", "az role assignment list", "az role assignment create --assignee a --role Owner", "az role assignment list"),
    Verb("az", "vm|vmss run-command invoke|create", "", "", Effect.EXECUTES, "a command is run on a machine of the account", "", "az vm run-command invoke --name web --command-id RunShellScript", "az vm list"),
    Verb("doctl", "** delete|rm|destroy|delete-selective", "", "", _GONE, "a resource of the cloud account is deleted", "the same with list", "doctl compute droplet delete web --force", "doctl compute droplet list"),
    Verb("linode-cli", "** delete|rm|remove|destroy|terminate|*-delete|bulk-delete", "", "--dry-run", _GONE, "a resource of the cloud account is deleted", "the same with list", "hcloud server delete web", "hcloud server list"),
    Verb("linode-cli", "* delete*|release*", "", "--dry-run --dryrun", _GONE, "a resource of the cloud account is deleted", "", "aliyun ecs DeleteInstance --InstanceId i", "aliyun ecs DescribeInstances"),
    Verb("openstack", "** delete|purge", "", "--dry-run", _GONE, "a resource of the cloud account is deleted", "the same with list", "openstack server delete web", "openstack server list"),
    Verb("s3cmd", "rb", "", "-n --dry-run", _GONE, "a bucket is deleted", "s3cmd ls", "s3cmd rb s3://shop", "s3cmd ls s3://shop"),
    Verb("s3cmd", "del|rm", "-r --recursive", "-n --dry-run", _GONE, "everything below it is deleted from the bucket", "s3cmd del -r --dry-run", "s3cmd del --recursive s3://shop", "s3cmd del s3://shop/a.txt"),
    Verb("s3cmd", "sync", "--delete-removed", "-n --dry-run", _GONE, "what the source does not have is deleted from the target", "s3cmd sync --dry-run", "s3cmd sync --delete-removed . s3://shop", "s3cmd sync . s3://shop"),
    Verb("s3cmd", "setacl|put|sync|mb", "-P --acl-public", "-n --dry-run", _OPEN, "files are opened to the whole internet", "", "s3cmd setacl --acl-public s3://shop/a.txt", "s3cmd setacl --acl-private s3://shop/a.txt"),
    Verb("s5cmd", "rb", "", "--dry-run", _GONE, "a bucket is deleted", "s5cmd ls", "s5cmd rb s3://shop", "s5cmd ls"),
    Verb("s5cmd", "rm *", "", "--dry-run", _GONE, "objects are deleted from the bucket", "s5cmd --dry-run rm", "s5cmd rm 's3://shop/*'", "s5cmd --dry-run rm 's3://shop/*'"),
    Verb("mc", "rm", "-r --recursive --force", "--fake --dry-run", _GONE, "everything below it is deleted from the bucket", "mc rm --dry-run", "mc rm --recursive --force store/shop", "mc rm store/shop/a.txt"),
    Verb("mc", "rb", "", "", _GONE, "a bucket is deleted", "mc ls", "mc rb --force store/shop", "mc mb store/shop"),
    Verb("mc", "mirror", "--remove", "--fake --dry-run", _GONE, "what the source does not have is deleted from the target", "mc mirror --dry-run", "mc mirror --remove . store/shop", "mc mirror . store/shop"),
    Verb("mc", "admin user|policy|service|accesskey add|attach|create|stop|remove|rm", "", "", _MORE, "accounts or rights of the store are changed", "mc admin user list", "mc admin user add store ann secret1", "mc admin user list store"),
    Verb("mc", "anonymous|policy set public|download|upload", "", "", _OPEN, "the bucket is opened to the whole internet", "", "mc anonymous set public store/shop", "mc anonymous get store/shop"),
)
