/** Compares two versions of Debian packages as dpkg does: negative if `a` is older. */
export function compareDebianVersions(a: string, b: string): number {
  const [first, second] = [split(a), split(b)]
  return (
    first.epoch - second.epoch || comparePart(first.upstream, second.upstream) || comparePart(first.revision, second.revision)
  )
}

function split(version: string): { epoch: number; upstream: string; revision: string } {
  const colon = version.indexOf(':')
  const rest = version.slice(colon + 1)
  const dash = rest.lastIndexOf('-')
  return {
    epoch: colon < 0 ? 0 : Number(version.slice(0, colon)),
    upstream: dash < 0 ? rest : rest.slice(0, dash),
    revision: dash < 0 ? '' : rest.slice(dash + 1),
  }
}

/** Alternates between a part without digits and a number. */
function comparePart(a: string, b: string): number {
  let [restA, restB] = [a, b]
  while (restA !== '' || restB !== '') {
    const [textA, textB] = [restA, restB].map((rest) => /^\D*/.exec(rest)?.[0] ?? '') as [string, string]
    for (let at = 0; at < Math.max(textA.length, textB.length); at++) {
      const order = orderOf(textA.charAt(at)) - orderOf(textB.charAt(at))
      if (order !== 0) return order
    }
    const [digitsA, digitsB] = [restA.slice(textA.length), restB.slice(textB.length)].map(
      (rest) => /^\d*/.exec(rest)?.[0] ?? '',
    ) as [string, string]
    const order = compareDigits(digitsA.replace(/^0+/, ''), digitsB.replace(/^0+/, ''))
    if (order !== 0) return order
    restA = restA.slice(textA.length + digitsA.length)
    restB = restB.slice(textB.length + digitsB.length)
  }
  return 0
}

/** Too long for numbers: dates with seconds. */
function compareDigits(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  return a === b ? 0 : a < b ? -1 : 1
}

/** `~` before the end, the end before letters, letters before the rest. */
function orderOf(character: string): number {
  if (character === '~') return -1
  if (character === '') return 0
  return /[a-zA-Z]/.test(character) ? character.charCodeAt(0) : character.charCodeAt(0) + 256
}
