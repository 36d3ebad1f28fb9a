#!/bin/sh
# Installs the Vedette agent on a Linux or macOS host: that of a release, or that of the backend itself. Downloads are unpacked and
# run only after their signature is verified. A truncated script does nothing: the last line calls `main`.
set -eu

# Filled in by the backend that serves this script; empty in other copies.
BACKEND_URL=''
RELEASES_URL=''
MANIFEST_SHA256=''
RELEASE_KEYS=''
AGENT_VERSION=''

PREFIX=/opt/vedette-agent LINK=/usr/local/bin/vedette-agent UNITS=/etc/systemd/system AGENT_USER=vedette
OPENRC_SCRIPT=/etc/init.d/vedette-agent PLIST=/Library/LaunchDaemons/vedette-agent.plist

usage() {
  cat <<END
install.sh [TOKEN]: installs or updates the Vedette agent in $PREFIX

  TOKEN                 register this host with this enrollment token, and start the service
  --url URL             the backend (${BACKEND_URL:-no default})
  --api-key-file FILE   register this host with the API key in the file, and start the service
  --allow-http          allow http:// to another host: the token is sent unencrypted
  --ca-file FILE        certificate authorities (PEM) of the backend, instead of the usual ones
  --proxy URL           use this proxy, for the installation and for the service
  --auto-update         update the agent by a timer (systemd)
  --no-start            do not start the service
  --foreground          run the agent in place of this script, as in a container
  --releases URL        address of the release (${RELEASES_URL:-default: /releases of the backend})
  --keys FILE           public keys that may sign the release, as in release-keys.pem
  --manifest-sha256 HEX hash of the manifest, trusted if no program here can verify Ed25519
  --dry-run             download and verify, and show what would be done
  --uninstall           remove the program and its service; config and state stay
  --purge               with --uninstall: remove config and state too
  uninstall             remove everything: the same as --uninstall --purge
END
}

say() { printf '%s\n' "$*"; }
die() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
# Every change of the host goes through here.
run() { if [ "$dry_run" = yes ]; then say "would run: $*"; else "$@"; fi; }
as_agent() {
  if has runuser; then runuser -u "$AGENT_USER" -- "$@"
  elif [ "$os" = darwin ]; then sudo -E -u "$AGENT_USER" "$@"
  else su -s /bin/sh "$AGENT_USER" -c 'exec "$@"' sh "$@"; fi
}
sha256_of() {
  if has sha256sum; then sha256sum "$1" | cut -c1-64
  elif has shasum; then shasum -a 256 "$1" | cut -c1-64
  else openssl dgst -sha256 -r "$1" | cut -c1-64; fi
}

parse() {
  url=$BACKEND_URL releases=$RELEASES_URL digest=$MANIFEST_SHA256 keys=$RELEASE_KEYS
  token='' foreground=no key_file='' ca_file='' proxy='' allow_http='' auto_update=no start=yes dry_run=no action=install purge=no
  while [ $# -gt 0 ]; do
    case $1 in --url | --api-key-file | --ca-file | --proxy | --releases | --keys | --manifest-sha256)
      [ $# -gt 1 ] || die "$1 takes a value" ;;
    esac
    case $1 in
      --url) url=${2%/}; shift ;;
      --api-key-file) key_file=$2; shift ;;
      --ca-file) ca_file=$2; shift ;;
      --proxy) proxy=$2; shift ;;
      --releases) releases=${2%/}; shift ;;
      --keys) keys=$(cat "$2"); shift ;;
      --manifest-sha256) digest=$2; shift ;;
      --allow-http) allow_http=--allow-http ;;
      --auto-update) auto_update=yes ;;
      --no-start) start=no ;;
      --foreground) foreground=yes ;;
      --dry-run) dry_run=yes ;;
      --uninstall) action=uninstall ;;
      --purge) purge=yes ;;
      -h | --help) usage; exit 0 ;;
      uninstall) action=uninstall purge=yes ;;
      -*) die "unknown option $1; --help lists the options" ;;
      *) [ -z "$token" ] || die 'more than one token; --help lists the options'; token=$1 ;;
    esac
    shift
  done
  [ -n "$AGENT_VERSION" ] || releases=${releases:-${url:+$url/releases}}
  [ -n "$releases" ] || [ $auto_update = no ] || die 'only the agent of a release updates itself: run this script again to update'
  case $url$releases in *[!][A-Za-z0-9:/._~%@?=+-]*) die 'an address has invalid characters' ;; esac
  for file in "$key_file" "$ca_file"; do [ -z "$file" ] || [ -r "$file" ] || die "$file cannot be read"; done
  [ -z "$key_file$token" ] || [ -n "$url" ] || die 'registration needs the address of the backend: --url'
  [ -z "$proxy" ] || export HTTPS_PROXY="$proxy" HTTP_PROXY="$proxy" https_proxy="$proxy" http_proxy="$proxy"
}

check_host() {
  [ "$dry_run" = yes ] || [ "$(id -u)" = 0 ] || die 'run it as root (any user may use --dry-run)'
  case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) die "no agent for $(uname -s); on Windows use install.ps1" ;; esac
  case $(uname -m) in x86_64 | amd64) arch=x64 ;; aarch64 | arm64) arch=arm64 ;; *) die "no agent for the processor $(uname -m)" ;; esac
  if [ $os = darwin ]; then
    AGENT_USER=_vedette CONFIG_DIR='/Library/Application Support/Vedette' STATE_DIR="/Library/Application Support/Vedette/state"
  else
    CONFIG_DIR=/etc/vedette STATE_DIR=/var/lib/vedette
  fi
  # A backend with its data in this folder has its own agent there.
  for kept in secret.key postgres.passwords.json; do
    [ ! -e "$STATE_DIR/$kept" ] || die "a Vedette backend stores its data in $STATE_DIR; its own agent monitors this host"
  done
  find_other
  [ $action = uninstall ] || [ -z "$other" ] || die "$other"
}

# One agent on a host: of two ways to install, the later one is refused before it changes anything. `other` says which is here.
find_other() {
  other='' packaged=no
  # A removed package that was not purged has the state config-files.
  case $(dpkg -s vedette-agent 2>/dev/null | sed -n 's/^Status: .* //p') in '' | config-files | not-installed) ;; *) packaged=yes ;; esac
  ! rpm -q vedette-agent >/dev/null 2>&1 || packaged=yes
  if [ $packaged = yes ]; then
    other='the package vedette-agent is installed: update it with the package manager, or remove it first (without a purge, so that config, state and registration stay)'
    return
  fi
  started=$(sed -n 's/^ExecStart=\(.*\) run$/\1/p; s/^command="\(.*\)"$/\1/p; s:^[[:space:]]*<string>\(/.*vedette-agent\)</string>$:\1:p' \
    $UNITS/vedette-agent.service $OPENRC_SCRIPT $PLIST 2>/dev/null | head -n 1)
  case $started in '' | $PREFIX/*) return ;; esac
  other="the service starts $started: remove it first (config, state and registration stay): $started service uninstall"
}

fetch() {
  if has curl; then curl -fsSL ${ca_file:+--cacert "$ca_file"} -o "$2" "$1"
  elif has wget; then wget -q ${ca_file:+--ca-certificate="$ca_file"} -O "$2" "$1"
  else die 'curl or wget is needed'; fi || die "cannot fetch $1"
}

# Sets `verifier` to the program by which one of the keys signed a file: empty if none did, `nothing` if no program here verifies.
# OpenSSL verifies the raw signature $2 of the file $3, OpenSSH the signature $4 of the file $1.
verify_signature() {
  verifier=''
  printf '%s\n' "$keys" | awk -v to="$tmp/key" '/BEGIN PUBLIC KEY/ { n++ } n { print > (to n ".pem") }'
  printf '%s\n' "$keys" | sed -n 's/^# \(ssh-ed25519 .*\)/release \1/p' >"$tmp/signers"
  if [ -n "$keys" ] && can_openssl; then
    for key in "$tmp"/key*.pem; do
      ! openssl pkeyutl -verify -rawin -pubin -inkey "$key" -sigfile "$2" -in "$3" >/dev/null 2>&1 || verifier=openssl
    done
  elif [ -s "$tmp/signers" ] && has ssh-keygen; then
    ! ssh-keygen -Y verify -f "$tmp/signers" -I release -n vedette-release -s "$4" <"$1" >/dev/null 2>&1 || verifier=ssh-keygen
  else
    verifier=nothing
  fi
}
can_openssl() { openssl pkeyutl -help 2>&1 | grep -q rawin; }

# The manifest is valid if one of the keys signed it. If no program here can verify that, the hash that the backend wrote into this
# script decides: the backend verifies the signature itself. A known hash must match in any case.
verify_manifest() {
  manifest=$tmp/manifest.json
  [ -z "$digest" ] || [ "$(sha256_of "$manifest")" = "$digest" ] || die 'REFUSED: the manifest is not the one that the backend verified'
  verify_signature "$manifest" "$manifest.sig" "$manifest" "$manifest.sshsig"
  if [ "$verifier" = nothing ]; then
    [ -n "$digest" ] || die 'no program here can verify the signature: use --keys with openssl 3 or OpenSSH 8.1, or --manifest-sha256'
    verifier='the hash from the backend'
  fi
  [ -n "$verifier" ] || die 'REFUSED: the signature of the manifest is invalid'
  say "verified by $verifier: the manifest of $releases"
}

# The agent of the backend, with Node. If no program here can verify its signature, it is as trustworthy as this script, which came
# by the same way from the same backend.
fetch_agent() {
  [ -n "$url" ] || die 'the address of the backend is missing: --url'
  version=$AGENT_VERSION sequence=$(known_sequence) ending=tar.gz name=agent
  fetch "$url/agent/$os-$arch" "$tmp/$name.$ending"
  fetch "$url/agent/$os-$arch.sig" "$tmp/signature"
  if can_openssl; then
    # What OpenSSH signs: the hash of the file, and what it is for. The signature itself is at the end.
    printf 'SSHSIG\000\000\000\017vedette-release\000\000\000\000\000\000\000\006sha512\000\000\000\100' >"$tmp/signed"
    openssl dgst -sha512 -binary "$tmp/$name.$ending" >>"$tmp/signed"
    sed '/^-/d' "$tmp/signature" | openssl base64 -d | tail -c 64 >"$tmp/raw"
  fi
  verify_signature "$tmp/$name.$ending" "$tmp/raw" "$tmp/signed" "$tmp/signature"
  [ -n "$verifier" ] || die "REFUSED: the signature of the agent of $url is invalid"
  if [ "$verifier" = nothing ]; then say "not verified, because neither openssl 3 nor OpenSSH 8.1 is here: the agent of $url"
  else say "verified by $verifier: the agent of $url"; fi
}

known_sequence() {
  known=''
  [ ! -r $PREFIX/install.json ] || known=$(field sequence $PREFIX/install.json)
  say "${known:-0}"
}

field() { sed -n 's/^ *"'"$1"'": *"\{0,1\}\([^",]*\).*/\1/p' "$2"; }

fetch_release() {
  [ -n "$releases" ] || die 'the address of the release is missing: --url or --releases'
  for name in manifest.json manifest.json.sig manifest.json.sshsig; do fetch "$releases/$name" "$tmp/$name"; done
  verify_manifest
  [ "$(field format "$tmp/manifest.json")" = vedette-release-1 ] || die 'the manifest has a newer format: use a newer install.sh'
  version=$(field version "$tmp/manifest.json") sequence=$(field sequence "$tmp/manifest.json")
  [ "$(field expires_at "$tmp/manifest.json" | tr -dc 0-9)" -gt "$(date -u +%Y%m%d%H%M%S)" ] || die 'REFUSED: the manifest has expired'
  known=$(known_sequence)
  [ "$sequence" -ge "$known" ] || die "REFUSED: the release ($sequence) is older than the installed one ($known)"
  ending=tar.gz
  if [ $os = linux ] && has xz; then ending=tar.xz; fi
  name=vedette-agent-$version-$os-$arch
  line=$(grep '^{"name":"'"$name.$ending"'"' "$tmp/manifest.json") || die "the release has no agent for $os-$arch"
  fetch "$releases/$name.$ending" "$tmp/$name.$ending"
  [ "$(sha256_of "$tmp/$name.$ending")" = "$(say "$line" | sed 's/.*"sha256":"\([0-9a-f]*\)".*/\1/')" ] || die "REFUSED: $name.$ending is not the signed file"
  say "verified by sha256: $name.$ending"
}

install_files() {
  target=$PREFIX/versions/$version
  run mkdir -p $PREFIX/versions
  run rm -rf "$target.new"
  run mkdir "$target.new"
  run tar -xf "$tmp/$name.$ending" -C "$target.new" --strip-components=1
  run chown -R 0:0 "$target.new"
  if [ "$dry_run" = no ] && [ "$("$target.new/bin/vedette-agent" version)" != "$version" ]; then
    rm -rf "$target.new"
    die 'the program does not run on this host: it needs glibc 2.28 or later, libstdc++, libgcc and libatomic (apt-get install libatomic1)'
  fi
  run rm -rf "$target.old"
  [ ! -e "$target" ] || run mv "$target" "$target.old"
  run mv "$target.new" "$target"
  run rm -rf "$target.old"
  run ln -sfn "versions/$version" $PREFIX/current
  run mkdir -p "${LINK%/*}"
  run ln -sf $PREFIX/current/bin/vedette-agent $LINK
  ! has restorecon || run restorecon -R $PREFIX
  [ "$dry_run" = yes ] || write_install_record
}

# State of `vedette-agent update`. Only root can write it, so the agent cannot choose its own replacement.
write_install_record() {
  printf '{\n"releases_url":"%s",\n"os":"%s",\n"arch":"%s",\n"sequence":%s\n}\n' "$releases" $os $arch "$sequence" >$PREFIX/install.json
}

create_user() {
  if ! id $AGENT_USER >/dev/null 2>&1; then
    if [ $os = darwin ]; then run create_user_on_macos
    elif has useradd; then run useradd --system --home-dir "$STATE_DIR" --no-create-home --shell /usr/sbin/nologin $AGENT_USER
    else run adduser -S -D -H -h "$STATE_DIR" -s /sbin/nologin $AGENT_USER; fi
  fi
  run mkdir -p "$CONFIG_DIR" "$STATE_DIR"
  if [ -n "$ca_file" ]; then
    # As a new file: install(1) removes what is there, a link too.
    run install -m 644 "$ca_file" "$CONFIG_DIR/ca.pem"
    # In a folder of the agent's user noclobber alone would follow a link that leads nowhere.
    [ "$dry_run" = yes ] || [ -e "$CONFIG_DIR/agent.yaml" ] || [ -L "$CONFIG_DIR/agent.yaml" ] ||
      printf 'ca_file: "%s"\n' "$CONFIG_DIR/ca.pem" >"$CONFIG_DIR/agent.yaml"
  fi
  for dir in "$CONFIG_DIR" "$STATE_DIR"; do
    # A folder that is the user's already stays as it is: its contents could be other names of other files.
    if [ "$dry_run" = yes ] || [ -n "$(find "$dir" -prune -type d -user 0)" ]; then
      run chmod 700 "$dir"
      run chown -R $AGENT_USER "$dir"
    fi
  done
}

create_user_on_macos() {
  number=300
  while dscl . -list /Users UniqueID | grep -q " $number\$"; do number=$((number + 1)); done
  dscl . -create /Users/$AGENT_USER
  dscl . -create /Users/$AGENT_USER UniqueID "$number"
  dscl . -create /Users/$AGENT_USER PrimaryGroupID 20
  dscl . -create /Users/$AGENT_USER UserShell /usr/bin/false
}

register() {
  [ -n "$key_file$token" ] || return 0
  if [ "$dry_run" = yes ]; then say "would register this host at $url"; return; fi
  # A container begins with this script each time.
  [ $foreground = no ] || [ ! -e "$STATE_DIR/identity.json" ] || return 0
  # Only root may be able to read the file; the program always runs as the agent's user.
  if [ -n "$key_file" ]; then token=$(cat "$key_file"); fi
  if server=$(VEDETTE_API_KEY=$token as_agent $LINK register --url "$url" $allow_http); then say "registered as $server"
  elif [ -e "$STATE_DIR/identity.json" ]; then say 'the registration failed: the agent goes on with the one that it has'
  else die 'the program is installed, but the registration failed'; fi
}

install_service() {
  units=$PREFIX/versions/$version/share/vedette-agent/units
  service=none
  if [ $os = darwin ]; then
    service=launchd
    run cp "$units/vedette-agent.plist" $PLIST
  elif [ -d $UNITS ] && has systemctl; then
    service=systemd
    run cp "$units/vedette-agent.service" $UNITS/vedette-agent.service
    [ "$dry_run" = yes ] || write_update_units
    [ -z "$proxy" ] || [ "$dry_run" = yes ] || write_proxy
    [ ! -d /run/systemd/system ] || run systemctl daemon-reload
  elif has rc-update; then
    service=openrc
    run cp "$units/vedette-agent.openrc" $OPENRC_SCRIPT
    run chmod 755 $OPENRC_SCRIPT
  fi
}

write_proxy() {
  mkdir -p $UNITS/vedette-agent.service.d
  (umask 077 && printf '[Service]\nEnvironment="HTTPS_PROXY=%s" "HTTP_PROXY=%s"\n' "$proxy" "$proxy" >$UNITS/vedette-agent.service.d/proxy.conf)
}

write_update_units() {
  cat >$UNITS/vedette-agent-update.service <<END
[Unit]
Description=Update of the Vedette agent
After=network-online.target

[Service]
Type=oneshot
ExecStart=$PREFIX/current/bin/vedette-agent update --by-timer
TimeoutStartSec=30min
ProtectSystem=strict
ReadWritePaths=$PREFIX
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
RestrictNamespaces=yes
CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_KILL
END
  cat >$UNITS/vedette-agent-update.timer <<END
[Unit]
Description=Checks for a new version of the Vedette agent

[Timer]
OnBootSec=10min
OnUnitActiveSec=6h
RandomizedDelaySec=1h

[Install]
WantedBy=timers.target
END
}

start_service() {
  if [ $start = no ] || [ -z "$key_file$token" ] && [ ! -e "$STATE_DIR/identity.json" ]; then
    say "service not started; register this host first (as root): $LINK register --url URL --api-key-file FILE"
  elif [ $service = systemd ] && [ -d /run/systemd/system ]; then
    run systemctl enable vedette-agent.service
    run systemctl restart vedette-agent.service
    [ $auto_update = no ] || run systemctl enable --now vedette-agent-update.timer
  elif [ $service = launchd ]; then
    launchctl bootout system/vedette-agent 2>/dev/null || true
    # It returns before the service has ended (ExitTimeOut: 5 s), and bootstrap fails until then.
    tries=0
    while [ $tries -lt 15 ] && launchctl print system/vedette-agent >/dev/null 2>&1; do tries=$((tries + 1)); sleep 1; done
    run launchctl bootstrap system $PLIST
  elif [ $service = openrc ]; then
    run rc-update add vedette-agent default
    run rc-service vedette-agent restart
  else
    say "no supported service manager runs here; start the agent as $AGENT_USER: $LINK run"
  fi
}

# The agent takes the place of this shell, and gets its signals. It becomes the user who owns its state.
run_here() {
  [ "$dry_run" = no ] || return 0
  rm -rf "$tmp"
  exec $LINK run
}

uninstall() {
  [ -z "$other" ] || [ -e $PREFIX ] || die "$other"
  [ -z "$other" ] || [ $purge = no ] || die "config and state belong to the other agent too, use it without --purge: $other"
  if has systemctl && [ -d /run/systemd/system ]; then
    run systemctl disable --now vedette-agent.service vedette-agent-update.timer || true
  elif [ $os = darwin ]; then run launchctl bootout system/vedette-agent || true
  elif has rc-update; then run rc-service vedette-agent stop || true; run rc-update del vedette-agent || true; fi
  run rm -rf $UNITS/vedette-agent.service $UNITS/vedette-agent.service.d $UNITS/vedette-agent-update.service $UNITS/vedette-agent-update.timer
  run rm -rf $OPENRC_SCRIPT $PLIST $LINK $PREFIX
  [ ! -d /run/systemd/system ] || run systemctl daemon-reload
  if [ $purge = yes ]; then
    run rm -rf "$CONFIG_DIR" "$STATE_DIR"
    [ "$os" = darwin ] || run rm -rf /var/log/vedette
    if ! id $AGENT_USER >/dev/null 2>&1; then :
    elif [ $os = darwin ]; then run dscl . -delete /Users/$AGENT_USER
    elif has userdel; then run userdel $AGENT_USER
    else run deluser $AGENT_USER; fi
  fi
  if [ $packaged = yes ]; then
    say 'uninstalled; start the agent of the package: systemctl enable --now vedette-agent'
  else
    say 'uninstalled; the backend lists the server until it is deleted there'
  fi
}

main() {
  umask 022
  parse "$@"
  check_host
  if [ $action = uninstall ]; then uninstall; return; fi
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  if [ -n "$releases" ]; then fetch_release; else fetch_agent; fi
  install_files
  create_user
  register
  [ $foreground = no ] || run_here
  install_service
  start_service
  if [ "$dry_run" = yes ]; then say 'dry run: nothing was changed'; else say "vedette-agent $version is installed"; fi
}

main "$@"
