"""Django's settings, all from the environment. Web and worker read the same ones.

DATABASE_URL            default: SQLite at var/fuselab.sqlite3
REDIS_URL               default: redis://127.0.0.1:6379/0; broker, channel layer and cache
FUSELAB_CONNECTIONS     connections to PostgreSQL that a web process has at most, default 20
FUSELAB_SECRET_KEY      default: generated once, kept in var/secret-key
FUSELAB_ALLOWED_HOSTS   default: the loopback names; comma separated
FUSELAB_HTTPS           1 behind a proxy that ends TLS and sets X-Forwarded-Proto
FUSELAB_PROXIES         number of proxies in front, for the address that rates are held against
FUSELAB_RUN_RATE        new runs an address may ask for, default 120/min
FUSELAB_BUDGET          milliseconds of the web's time that an address gets a second, default 200
FUSELAB_SOCKETS         open pages of one address, default 600
FUSELAB_WAITING         runs of one person that may wait at a time, default 10
FUSELAB_ADDRESS_WAITING runs of one address that may wait at a time, default 200
FUSELAB_RUNS_MB         MiB that all runs may take, default 20480
FUSELAB_OWNER_MB        MiB that the runs of one person may take, default 2048
FUSELAB_ADDRESS_MB      MiB that the runs of one address may take, default half of those of all
FUSELAB_WORKSHOPS_MB    MiB that what all workshops keep may take, default 1024
FUSELAB_DISK_FLOOR_MB   MiB of free disk below which no new runs are taken, default 1024
FUSELAB_SANDBOX         required, or off-loopback-only (snippets run unconfined: a banner says so)
FUSELAB_METRICS         host:port where Prometheus asks the web process, default: nowhere
FUSELAB_WORKER_METRICS  the same of a worker
FUSELAB_LOG             lines, or json: one object a line, with the run that it is of
FUSELAB_DEBUG           1 for Django's debug pages
"""

from pathlib import Path
from typing import Any

from webapp import environment
from webapp.databases import database
from webapp.origin import strangers
from webapp.secret import require_strong, stored_key

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = BASE_DIR / "var"
VERSION = "0.1.0"

DEBUG = environment.flag("FUSELAB_DEBUG")
HTTPS = environment.flag("FUSELAB_HTTPS")
ALLOWED_HOSTS = environment.words("FUSELAB_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
SECRET_KEY = environment.text("FUSELAB_SECRET_KEY", "") or stored_key(VAR / "secret-key")
if HTTPS or strangers(ALLOWED_HOSTS):
    require_strong(SECRET_KEY)
SANDBOX = environment.choice("FUSELAB_SANDBOX", ("required", "off-loopback-only"))

INSTALLED_APPS = [
    "django.contrib.staticfiles",
    "channels",
    "ninja",
    "webapp.runs",
    "webapp.examples",
    "webapp.workshops",
    "webapp.pages",
]
MIDDLEWARE = [
    "webapp.middleware.paid_by_time",
    "webapp.middleware.content_security_policy",
    "webapp.middleware.known_host",
    "webapp.middleware.json_errors",
    "django.middleware.security.SecurityMiddleware",
    # Static files were compressed when the page was built; the rest is as it is sent.
    "webapp.statics.StaticFiles",
    "webapp.packing.Whole",
    "django.middleware.common.CommonMiddleware",
    "webapp.middleware.same_origin",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "webapp.middleware.database_let_go",
    "webapp.pages.away.Away",
]
ROOT_URLCONF = "webapp.urls"
ASGI_APPLICATION = "webapp.asgi.application"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
USE_TZ = True
TIME_ZONE = "UTC"
APPEND_SLASH = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

DATABASES = {
    "default": database(
        environment.text("DATABASE_URL", f"sqlite:///{VAR / 'fuselab.sqlite3'}"),
    )
}

REDIS_URL = environment.text("REDIS_URL", "redis://127.0.0.1:6379/0")
CHANNEL_LAYERS = {
    "default": {
        # A message is sent once for each process, which hands it to its pages; one that is lost
        # costs a moment, since every page looks for itself.
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            "hosts": [{"address": REDIS_URL, "socket_timeout": 15}],
            "prefix": "fuselab:live",
        },
    }
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "fuselab:cache",
    }
}

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_DEFAULT_QUEUE = "cpu"
CELERY_TASK_IGNORE_RESULT = True
# A task is done when its run is stored, not when it is taken: a killed worker's task comes again.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Sending fails at once where Redis is away, so that the client gets an error.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 2, "interval_start": 0, "interval_step": 0.2}
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 600, "socket_connect_timeout": 3}

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "webapp" / "static"]
# Where the frontend's build puts the page.
FRONTEND = BASE_DIR / "webapp" / "static" / "app"
# Files are served from where they were built; there is no collecting step to forget.
WHITENOISE_USE_FINDERS = True
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/app/assets/.+-[\w-]{8,}\.\w+$"

# A source may be escaped in JSON to several times its length; beyond this nobody reads on.
MAX_BODY_BYTES = 2 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES
RUN_DAYS = 30
RUNS_MB = environment.number("FUSELAB_RUNS_MB", 20 * 1024)
OWNER_MB = environment.number("FUSELAB_OWNER_MB", 2 * 1024)
ADDRESS_MB = environment.number("FUSELAB_ADDRESS_MB", RUNS_MB // 2)
WORKSHOPS_MB = environment.number("FUSELAB_WORKSHOPS_MB", 1024)
DISK_FLOOR_MB = environment.number("FUSELAB_DISK_FLOOR_MB", 1024)
WAITING = environment.number("FUSELAB_WAITING", 10)
ADDRESS_WAITING = environment.number("FUSELAB_ADDRESS_WAITING", 200)
BUDGET = environment.number("FUSELAB_BUDGET", 200)
CONNECTIONS = environment.number("FUSELAB_CONNECTIONS", 20)
SOCKETS = environment.number("FUSELAB_SOCKETS", 600)
RUN_RATE = environment.text("FUSELAB_RUN_RATE", "120/min")
NINJA_NUM_PROXIES = environment.number("FUSELAB_PROXIES", 0)

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_SSL_REDIRECT = HTTPS
# Load balancers and containers ask for these by http, from beside the server.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SILENCED_SYSTEM_CHECKS = [
    # Changes are held against their Origin (middleware.same_origin): no form carries a token.
    "security.W003",
    # Whether all other names below this site's, and browsers that never saw it, must use TLS is for
    # whoever owns the name.
    "security.W005",
    "security.W021",
]

METRICS = environment.text("FUSELAB_METRICS", "")
WORKER_METRICS = environment.text("FUSELAB_WORKER_METRICS", "")
LOG = environment.choice("FUSELAB_LOG", ("lines", "json"))
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"()": "webapp.logs.Lines"}, "json": {"()": "webapp.logs.Json"}},
    "filters": {"fell": {"()": "webapp.logs.Fell"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG}},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        # The web server's own log has every refused request already.
        "django.request": {"level": "ERROR", "filters": ["fell"]},
        # What is refused has a line there too; of a mistake of somebody else's no more is wanted.
        "django.security": {"level": "CRITICAL"},
        "webapp": {"handlers": ["console"], "level": "INFO", "propagate": False},
        "psycopg": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "worker": {"handlers": ["console"], "level": "INFO", "propagate": False},
    },
}
if LOG == "json":
    # Whatever reads it reads all of it: also what the web server, Celery and libraries log.
    LOGGING["root"] = {"handlers": ["console"], "level": "WARNING"}
    LOGGING["loggers"] |= {
        name: {"level": "INFO"} for name in ("uvicorn", "uvicorn.access", "celery")
    }
