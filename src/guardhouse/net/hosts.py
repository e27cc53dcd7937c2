"""Hosts that are public but say nothing about who is behind them: anyone can leave something there, or be there.

Data only. A host on this list is a risk where hosts are allowed wholesale; one that a person has allowlisted by its
own name is not.
"""

from __future__ import annotations

from typing import Final, Literal

HostClass = Literal["paste", "webhook", "tunnel", "short_link"]

HOSTS: Final[tuple[tuple[HostClass, str], ...]] = (
    # what it is, names (a name covers everything below it)
    ("paste", "0x0.st bashupload.com catbox.moe controlc.com dpaste.com dpaste.org file.io filebin.net gofile.io"),
    ("paste", "ghostbin.com hastebin.com ix.io justpaste.it litterbox.catbox.moe paste.ee paste.rs pastebin.com"),
    ("paste", "pastebin.pl pastes.dev privatebin.net rentry.co sprunge.us temp.sh termbin.com tmpfiles.org"),
    ("paste", "transfer.sh uguu.se wetransfer.com anonfiles.com bayfiles.com send-anywhere.com"),
    (
        "webhook",
        "webhook.site requestbin.com requestbin.net requestcatcher.com hookbin.com pipedream.net beeceptor.com",
    ),
    ("webhook", "webhook.cool webhookrelay.com typedwebhook.tools postb.in mockbin.org requestinspector.com"),
    (
        "webhook",
        "burpcollaborator.net oastify.com interact.sh oast.fun oast.live oast.me oast.online oast.pro oast.site",
    ),
    ("webhook", "canarytokens.com dnslog.cn ceye.io hooks.slack.com hooks.zapier.com maker.ifttt.com"),
    (
        "tunnel",
        "ngrok.io ngrok.app ngrok-free.app ngrok.dev loca.lt localtunnel.me serveo.net trycloudflare.com bore.pub",
    ),
    ("tunnel", "pagekite.me localhost.run lhr.life telebit.io tunnelto.dev zrok.io pinggy.io devtunnels.ms"),
    ("short_link", "bit.ly t.co tinyurl.com goo.gl ow.ly is.gd v.gd buff.ly rebrand.ly cutt.ly rb.gy s.id shorturl.at"),
    ("short_link", "t.ly tiny.cc lnkd.in bl.ink soo.gd clck.ru qr.ae adf.ly bc.vc j.mp urlz.fr 1url.com"),
)
_BY_NAME: Final = {name: kind for kind, names in HOSTS for name in names.split()}


def host_class(host: str) -> HostClass | None:
    """What kind of such a host this is; None for any other."""
    while host:
        kind = _BY_NAME.get(host)
        if kind is not None:
            return kind
        host = host.partition(".")[2]
    return None
