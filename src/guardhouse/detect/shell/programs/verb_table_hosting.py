"""Verbs of code hosts and of places that run applications: what deletes there, what shows keys, what makes public.

Pushing, deploying and publishing in the ordinary way are not here.
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
_STAYS = Effect.PERSISTS
_SENT = Effect.SENDS

TOOLS: tuple[Tool, ...] = (
    Tool("gh", "-R --repo -X --method --hostname -F --field -f --raw-field -H --header --visibility -q --jq -t --template --input", Scope.CLOUD),
    Tool("glab", "-R --repo -X --method --hostname -g --group", Scope.CLOUD),
    Tool("heroku", "-a --app -r --remote -c --confirm -t --team", Scope.CLOUD),
    Tool("vercel vc now", "-t --token -S --scope -T --team --cwd -A --local-config", Scope.CLOUD),
    Tool("netlify ntl", "--auth --filter --site -s", Scope.CLOUD),
    Tool("wrangler", "-c --config -e --env --cwd", Scope.CLOUD),
    Tool("firebase", "-P --project --token -c --config --account", Scope.CLOUD),
    Tool("supabase", "--project-ref --workdir --profile --output -o", Scope.CLOUD),
    Tool("flyctl fly", "-a --app -c --config -t --access-token -o --org", Scope.CLOUD),
    Tool("railway", "-s --service -e --environment -p --project", Scope.CLOUD),
    Tool("cf", "", Scope.CLOUD),
    Tool("pscale neonctl neon turso planetscale", "--org --project-id --branch", Scope.CLOUD),
    Tool("eas", "", Scope.CLOUD),
    Tool("shopify", "", Scope.CLOUD),
    Tool("stripe", "--api-key -p --project-name", Scope.CLOUD),
)

VERBS: tuple[Verb, ...] = (
    Verb("gh", "repo delete|archive", "", "", _GONE, "a repository is deleted or frozen", "gh repo view", "gh repo delete ann/shop --yes", "gh repo view ann/shop"),
    Verb("gh", "repo edit", "--visibility=public --visibility=internal", "", _GONE, "a repository is shown to everyone, with its history", "", "gh repo edit ann/shop --visibility public", "gh repo edit ann/shop --description text"),
    Verb("gh", "repo sync", "--force", "", Effect.DISCARDS, "commits that only this branch has are overwritten", "gh repo sync", "gh repo sync ann/shop --force", "gh repo sync ann/shop"),
    Verb("gh", "repo deploy-key add|delete", "", "", _STAYS, "who may get at the repository is changed", "gh repo deploy-key list", "gh repo deploy-key add key.pub -w", "gh repo deploy-key list"),
    Verb("gh", "release delete|delete-asset", "", "", _GONE, "a release is deleted", "gh release view", "gh release delete v1 --yes", "gh release view v1"),
    Verb("gh", "issue|gist|project|codespace|cs|discussion delete", "", "", _GONE, "it is deleted for everyone", "", "gh gist delete 1234", "gh gist view 1234"),
    Verb("gh", "secret|variable delete|remove", "", "", _GONE, "a setting of the workflows is deleted", "gh secret list", "gh secret delete TOKEN", "gh secret list"),
    Verb("gh", "workflow disable", "", "", _GONE, "checks are switched off", "", "gh workflow disable ci.yml", "gh workflow list"),
    Verb("gh", "pr merge", "--admin", "", _GONE, "the checks and reviews that are asked for are passed over", "gh pr merge --auto", "gh pr merge 7 --admin --squash", "gh pr merge 7 --squash"),
    Verb("gh", "api", "-X=delete --method=delete", "", _GONE, "something is deleted on the host", "gh api with GET", "gh api -X DELETE repos/ann/shop", "gh api repos/ann/shop"),
    Verb("gh", "api ** */collaborators/*|*/keys|*/hooks|*/branches/*/protection*", "-X=put -X=post -X=patch --method=put --method=post --method=patch", "", _MORE, "who may get at the repository is changed", "", "gh api -X PUT repos/ann/shop/collaborators/bob", "gh api repos/ann/shop/collaborators/bob"),
    Verb("gh", "gist create|edit", "", "--help", _SENT, "files are put where others can see them", "", "gh gist create notes.txt", "gh gist list"),
    Verb("gh", "release upload", "", "", _SENT, "files are put where others can see them", "gh release view", "gh release upload v1 shop.tar.gz", "gh release view v1"),
    Verb("gh", "repo create", "--push&--public --public&--source", "", _SENT, "the project is shown to everyone, with its history", "gh repo create --private", "gh repo create shop --public --source=. --push", "gh repo create shop --private --source=. --push", "--source --remote -d --description"),
    Verb("gh", "api", "-F=*=@* --field=*=@* --input=*", "", _SENT, "a file is sent to the host", "", "gh api gists -F content=@notes.txt", "gh api gists -f content=text"),
    Verb("gh", "issue|pr|discussion create|comment|edit", "-R=*&-F=* --repo=*&--body-file=* -R=*&--body-file=* --repo=*&-F=*", "", _SENT, "a file is put where others can see it", "", "gh issue create -R ann/shop -F notes.txt", "gh issue create -F notes.txt", "-F --body-file -t --title -b --body"),
    Verb("gh", "auth token", "", "", _SHOWS, "the token of the log-in is shown", "gh auth status", "gh auth token", "gh auth status"),
    Verb("gh", "auth status", "-t --show-token", "", _SHOWS, "the token of the log-in is shown", "gh auth status", "gh auth status --show-token", "gh auth status --hostname git.example.com"),
    Verb("gh", "auth refresh|login", "-s --scopes", "", _MORE, "the log-in gets more rights", "", "gh auth refresh -s delete_repo", "gh auth login --web", "-s --scopes"),
    Verb("gh", "ssh-key|gpg-key add|delete", "", "", _STAYS, "the keys of the account are changed", "gh ssh-key list", "gh ssh-key add key.pub", "gh ssh-key list"),
    Verb("glab", "repo|project delete|archive|transfer", "", "", _GONE, "a repository is deleted or moved", "glab repo view", "glab repo delete ann/shop", "glab repo view ann/shop"),
    Verb("glab", "release|issue|snippet|variable|schedule|cluster delete", "", "", _GONE, "it is deleted for everyone", "", "glab release delete v1", "glab release view v1"),
    Verb("glab", "api", "-X=delete --method=delete", "", _GONE, "something is deleted on the host", "glab api with GET", "glab api -X DELETE projects/1", "glab api projects/1"),
    Verb("glab", "snippet create", "", "", _SENT, "files are put where others can see them", "", "glab snippet create -t shop notes.txt", "glab snippet list"),
    Verb("glab", "release upload", "", "", _SENT, "files are put where others can see them", "", "glab release upload v1 shop.tar.gz", "glab release view v1"),
    Verb("glab", "auth status", "-t --show-token", "", _SHOWS, "the token of the log-in is shown", "glab auth status", "glab auth status --show-token", "glab auth status"),
    Verb("glab", "ssh-key|deploy-key add|delete", "", "", _STAYS, "the keys of the account are changed", "glab ssh-key list", "glab ssh-key add key.pub", "glab ssh-key list"),
    Verb("glab", "token create|rotate|revoke", "", "", _MORE, "a way to log in is made or ended", "glab token list", "glab token create ci", "glab token list"),
    Verb("heroku", "apps:destroy|apps:delete|destroy|addons:destroy|pg:reset|pg:backups:delete|pipelines:destroy|spaces:destroy|domains:clear|domains:remove|redis:destroy|kafka:topics:destroy|certs:remove|teams:destroy", "", "", _GONE, "an application or its data is deleted", "heroku apps:info", "heroku pg:reset DATABASE_URL --confirm shop", "heroku pg:info --app shop"),
    Verb("heroku", "pg:copy|pg:backups:restore|pg:push|pg:promote", "", "", _GONE, "a database is overwritten or exchanged", "heroku pg:backups", "heroku pg:backups:restore b101 DATABASE_URL", "heroku pg:backups --app shop"),
    Verb("heroku", "auth:token|authorizations:create|pg:credentials:url", "", "", _SHOWS, "a way to log in is shown", "heroku auth:whoami", "heroku auth:token", "heroku auth:whoami"),
    Verb("heroku", "access:add|keys:add|members:add|members:set", "", "", _MORE, "someone gets at the application", "heroku access", "heroku access:add a@example.com", "heroku access"),
    Verb("vercel", "remove|rm", "", "", _GONE, "deployments are deleted", "vercel ls", "vercel rm shop --yes", "vercel ls shop"),
    Verb("vercel", "project|projects|env|domains|dns|certs|alias|secrets|teams|blob|integration rm|remove|delete", "", "", _GONE, "a project or its settings are deleted", "", "vercel project rm shop", "vercel project ls"),
    Verb("netlify", "sites:delete|env:unset|env:clone|blobs:delete", "", "", _GONE, "a site or its settings are deleted", "netlify sites:list", "netlify sites:delete 1234", "netlify sites:list"),
    Verb("wrangler", "delete", "", "--dry-run", _GONE, "a worker is deleted", "wrangler delete --dry-run", "wrangler delete --name shop", "wrangler deploy"),
    Verb("wrangler", "d1|queues|hyperdrive|vectorize|secret|workflows|kv:namespace|kv:key|kv:bulk|containers|dispatch-namespace delete|purge", "", "", _GONE, "a database, a queue or a setting is deleted", "", "wrangler d1 delete shop", "wrangler d1 list"),
    Verb("wrangler", "kv|r2|pages|secrets-store|pipelines namespace|key|bulk|bucket|object|project|deployment|secret|store delete", "", "", _GONE, "stored data is deleted", "", "wrangler r2 bucket delete shop", "wrangler r2 bucket list"),
    Verb("wrangler", "d1 time-travel restore", "", "", _GONE, "the database is set back", "wrangler d1 time-travel info", "wrangler d1 time-travel restore shop --timestamp=1", "wrangler d1 time-travel info shop"),
    Verb("firebase", "firestore:delete|firestore:databases:delete|database:remove|database:set|functions:delete|hosting:disable|hosting:sites:delete|apphosting:backends:delete|ext:uninstall|remoteconfig:rollback|dataconnect:services:delete", "", "", _GONE, "data or functions of the project are deleted", "", "firebase firestore:delete --all-collections", "firebase firestore:indexes"),
    Verb("firebase", "auth:export|login:ci|functions:secrets:access|functions:config:export", "", "", _SHOWS, "accounts or keys of the project are shown", "", "firebase auth:export users.json", "firebase projects:list"),
    Verb("supabase", "db reset", "", "", _GONE, "the database is emptied", "supabase db diff", "supabase db reset --linked", "supabase db diff"),
    Verb("supabase", "projects|branches|functions|storage|network-bans|snippets|sso delete|rm|remove", "", "", _GONE, "a project or a part of it is deleted", "", "supabase projects delete shop", "supabase projects list"),
    Verb("supabase", "secrets unset", "", "", _GONE, "a setting of the project is deleted", "supabase secrets list", "supabase secrets unset TOKEN", "supabase secrets list"),
    Verb("supabase", "stop", "--no-backup", "", _GONE, "the local database is deleted", "supabase stop", "supabase stop --no-backup", "supabase stop"),
    Verb("flyctl", "destroy", "", "", _GONE, "an application is deleted", "fly status", "fly destroy shop", "fly status"),
    Verb("flyctl", "apps|app|volumes|volume|vol|machine|machines|m|redis|postgres|mpg|storage|ext|extensions|orgs destroy|delete|rm|remove", "", "", _GONE, "an application or its data is deleted", "fly volumes list", "fly volumes destroy vol_1 --yes", "fly volumes list"),
    Verb("flyctl", "secrets unset", "", "", _GONE, "a setting of the application is deleted", "fly secrets list", "fly secrets unset TOKEN", "fly secrets list"),
    Verb("flyctl", "auth|tokens|token token|create|attenuate", "", "", _SHOWS, "a token is shown", "fly auth whoami", "fly auth token", "fly auth whoami"),
    Verb("railway", "delete|down", "", "", _GONE, "a project or its deployment is removed", "railway status", "railway down --yes", "railway status"),
    Verb("railway", "volume|environment|service|project delete|rm|detach", "", "", _GONE, "data or settings are deleted", "railway volume list", "railway volume delete", "railway volume list"),
    Verb("cf", "delete|delete-*|purge-*", "", "", _GONE, "an application or its data is deleted", "cf apps", "cf delete-service db -f", "cf services"),
    Verb("pscale", "db|database|databases|branch|branches|project|projects|group|backup|roles|org delete|destroy|reset", "", "", _GONE, "a database is deleted", "", "turso db destroy shop", "turso db list"),
    Verb("eas", "project:delete|build:delete|update:delete|branch:delete|channel:delete|env:delete", "", "", _GONE, "builds or updates are deleted", "", "eas branch:delete preview", "eas branch:list"),
    Verb("shopify", "theme delete|publish", "", "", _GONE, "the theme of the shop is deleted or exchanged", "shopify theme list", "shopify theme delete --theme 1", "shopify theme list"),
    Verb("stripe", "delete", "", "--dry-run", _GONE, "objects of the account are deleted", "stripe get", "stripe delete /v1/customers/c1", "stripe get /v1/customers/c1"),
    Verb("stripe", "* create|update|capture|confirm|cancel", "--live", "", _GONE, "it is done with real money", "the same without --live", "stripe refunds create --charge=c --live", "stripe refunds create --charge=c"),
)
