# A backend that runs as root keeps its data where the agent keeps its state, and brings an agent of its own.
for kept in secret.key postgres.passwords.json; do
  if [ -e "/var/lib/vedette/$kept" ]; then
    echo 'a backend of Vedette keeps its data in /var/lib/vedette; its own agent watches this host' >&2
    exit 1
  fi
done
