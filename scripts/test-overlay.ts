import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Output of one step, both streams together. */
export interface StepResult {
  status: number
  output: string
}

/** Before the steps: this machine under a layer that goes with the namespace, with a systemd that only writes down its orders. */
const PREPARE = `set -e
base=$(mktemp -d)
mount -t tmpfs tmpfs "$base"
mkdir "$base/up" "$base/work" "$base/root"
mount -t overlay -o "lowerdir=/,upperdir=$base/up,workdir=$base/work" overlay "$base/root"
root=$base/root
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
# dpkg reads the lists of all packages each time: without them it takes a twentieth.
mount -t tmpfs tmpfs "$root/var/lib/dpkg"
mkdir "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
touch "$root/var/lib/dpkg/status"
mkdir -p "$root/run/systemd/system" "$root/etc/systemd/system"
rm -rf "$root/etc/vedette" "$root/var/lib/vedette" "$root/opt/vedette-agent" "$root/run/openrc"
printf '#!/bin/sh\\necho "systemctl $*" >>/root/systemctl.log\\n' >"$root/usr/local/bin/systemctl"
chmod 755 "$root/usr/local/bin/systemctl"
cat >"$root/root/steps"
exec chroot "$root" sh /root/steps
`

/** Runs commands of the shell, one after the other, as root on a copy of this machine that nobody else sees; a failed one ends nothing. */
export async function runOnCopy(steps: readonly string[]): Promise<StepResult[]> {
  const mark = '--- ended with'
  const script = steps.map((step) => `( ${step}\n) </dev/null 2>&1\necho "${mark} $?"\n`).join('')
  const child = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', PREPARE], {
    env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  })
  child.stdin.end(script)
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const results = [...output.matchAll(/([\s\S]*?)--- ended with (\d+)\n/g)].map(([, said = '', status]) => ({
    status: Number(status),
    output: said,
  }))
  if (results.length !== steps.length) throw new Error(`the copy of this machine cannot be made: ${errors}${output}`)
  return results
}
