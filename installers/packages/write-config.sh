# No conffile: one that is there already (of install.sh, or edited) stays as it is, without a question, and stays when the package goes.
# Written as vedette, who owns the folder and could plant a link to another file.
[ -e /etc/vedette/agent.yaml ] || [ -L /etc/vedette/agent.yaml ] ||
  runuser -u vedette -- install -m 0600 /usr/share/vedette-agent/agent.yaml /etc/vedette/agent.yaml
find /etc/vedette/agent.yaml -type f -links 1 -user root -exec chown -h vedette:vedette {} + 2>/dev/null || true
[ ! -e /etc/vedette/agent.yaml ] || runuser -u vedette -- chmod 0600 /etc/vedette/agent.yaml
