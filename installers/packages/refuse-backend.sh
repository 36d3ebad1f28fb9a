# A backend that runs as root stores its data in the state folder of the agent, and has its own agent.
for kept in secret.key postgres.passwords.json; do
  if [ -e "/var/lib/vedette/$kept" ]; then
    echo 'a Vedette backend stores its data in /var/lib/vedette; its own agent monitors this host' >&2
    exit 1
  fi
done
