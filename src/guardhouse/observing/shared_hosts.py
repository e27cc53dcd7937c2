"""Domains that are not one owner's: below them everybody can have a name. Data, and the one question asked of it.

A host there says nothing about its neighbours, so what was seen on one is never broadened to the others. This is no
public suffix list: only what an agent is likely to meet, and the pattern of country domains.
"""

from __future__ import annotations

from typing import Final

SHARED: Final[tuple[tuple[str, str], ...]] = (
    # who gives the names, below which domains
    ("pages", "github.io gitlab.io codeberg.page bitbucket.io pages.dev netlify.app vercel.app now.sh"),
    ("pages", "web.app firebaseapp.com surge.sh onrender.com fly.dev glitch.me replit.app replit.dev repl.co"),
    ("pages", "readthedocs.io gitbook.io notion.site webflow.io framer.app wixsite.com weebly.com square.site"),
    ("pages", "blogspot.com wordpress.com tumblr.com ghost.io substack.com medium.com neocities.org carrd.co"),
    ("pages", "hf.space streamlit.app gradio.live deno.dev val.run stackblitz.io webcontainer.io"),
    ("pages", "codesandbox.io csb.app github.dev app.github.dev gitpod.io lovable.app bolt.host sites.google.com"),
    ("functions", "workers.dev cloudfunctions.net run.app appspot.com"),
    ("functions", "azurewebsites.net azurestaticapps.net azurecontainerapps.io azure-api.net cloudapp.net"),
    ("functions", "herokuapp.com railway.app up.railway.app koyeb.app cyclic.app ondigitalocean.app supabase.co"),
    ("functions", "convex.cloud convex.site hasura.app firebaseio.com mongodb.net upstash.io elasticbeanstalk.com"),
    ("storage", "amazonaws.com blob.core.windows.net core.windows.net r2.dev r2.cloudflarestorage.com"),
    ("storage", "storage.googleapis.com digitaloceanspaces.com backblazeb2.com wasabisys.com"),
    ("storage", "linodeobjects.com aliyuncs.com myqcloud.com supabase.in githubusercontent.com googleusercontent.com"),
    ("storage", "sharepoint.com dropboxusercontent.com"),
    ("delivery", "cloudfront.net azureedge.net azurefd.net fastly.net fastlylb.net akamaized.net akamaihd.net"),
    ("delivery", "b-cdn.net cdn77.org netdna-ssl.com trafficmanager.net cloudapp.azure.com edgekey.net"),
    ("tunnel", "ngrok.io ngrok.app ngrok-free.app ngrok-free.dev ngrok.dev ngrok.com trycloudflare.com loca.lt ts.net"),
    ("tunnel", "serveo.net localhost.run lhr.life pinggy.io zrok.io devtunnels.ms localtunnel.me cfargotunnel.com"),
    ("dynamic", "duckdns.org no-ip.org no-ip.com ddns.net dyndns.org dynu.net afraid.org mooo.com hopto.org zapto.org"),
    ("dynamic", "sslip.io nip.io xip.io traefik.me myftp.org servehttp.com sytes.net freedns.org eu.org"),
    ("service", "atlassian.net zendesk.com myshopify.com slack.com auth0.com okta.com salesforce.com force.com"),
    ("service", "service-now.com freshdesk.com hubspot.com typeform.com airtable.com jotform.com sentry.io"),
)
_NAMES: Final = frozenset(name for _kind, names in SHARED for name in names.split())

_SECOND_LEVEL: Final = frozenset("asso gouv info name school police museum tokyo osaka kyoto nagoya".split())
"""What stands before a country's two letters where the country gives names below it, besides what is as short as in
`co.uk` and `com.au`."""


def shared_domain(host: str) -> str:
    """The domain below which everybody can have a name, if `host` is that or lies below it; empty if there is none."""
    labels = host.lower().rstrip(".").split(".")
    rests = (".".join(labels[start:]) for start in range(len(labels)))
    return next((rest for rest in rests if rest in _NAMES), "")


def is_one_owners(domain: str) -> bool:
    """Whether all names below `domain` can be taken for one owner's: not a domain that gives names to everybody, none
    that lies below such a one, and none that has one below it."""
    labels = domain.lower().rstrip(".").split(".")
    if len(labels) < 2 or shared_domain(domain):
        return False
    if len(labels) == 2 and len(labels[1]) == 2 and (len(labels[0]) <= 3 or labels[0] in _SECOND_LEVEL):
        return False
    below = "." + ".".join(labels)
    return not any(name.endswith(below) for name in _NAMES)
