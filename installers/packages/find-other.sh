# How the service starts an agent of install.sh or of an archive; empty without one. A unit that someone edited starts /usr/bin.
other=$(sed -n 's/^ExecStart=\(.*\) run$/\1/p' /etc/systemd/system/vedette-agent.service 2>/dev/null | grep -vx /usr/bin/vedette-agent) || true
if [ -z "$other" ] && [ -e /opt/vedette-agent/current ]; then other=/opt/vedette-agent/current/bin/vedette-agent; fi
