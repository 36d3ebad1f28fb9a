# The user of the agent. It owns the config, so that it can read a new token; nobody else can read it.
getent group vedette >/dev/null || groupadd --system vedette
getent passwd vedette >/dev/null ||
  useradd --system --gid vedette --home-dir /var/lib/vedette --no-create-home --shell /usr/sbin/nologin --comment 'Vedette agent' vedette
