# The fixed user of the agent. It owns its config, so that it sees a new token; nobody else reads it.
getent group vedette >/dev/null || groupadd --system vedette
getent passwd vedette >/dev/null ||
  useradd --system --gid vedette --home-dir /var/lib/vedette --no-create-home --shell /usr/sbin/nologin --comment 'Vedette agent' vedette
