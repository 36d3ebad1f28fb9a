/** Epoch, version and release of an RPM package. */
export interface RpmVersion {
  epoch: number
  version: string
  release: string
}

/** Compares as rpm does: negative if `a` is older. */
export const compareRpmVersions = (a: RpmVersion, b: RpmVersion): number =>
  a.epoch - b.epoch || comparePart(a.version, b.version) || comparePart(a.release, b.release)

/** What separates segments: anything but digits, letters, `~` and `^`. */
const SEPARATORS = /^[^a-z0-9~^]+/i

/** rpmvercmp, https://rpm-software-management.github.io/rpm/manual/dependencies.html#versioning */
function comparePart(a: string, b: string): number {
  let [restA, restB] = [a, b]
  while (restA !== '' || restB !== '') {
    restA = restA.replace(SEPARATORS, '')
    restB = restB.replace(SEPARATORS, '')
    const sign = compareSigns(restA, restB)
    if (sign !== undefined && sign !== 0) return sign
    if (sign === 0) {
      restA = restA.slice(1)
      restB = restB.slice(1)
      continue
    }
    if (restA === '' || restB === '') break
    const kind = /^\d/.test(restA) ? /^\d+/ : /^[a-z]+/i
    const [segmentA = '', segmentB = ''] = [kind.exec(restA)?.[0], kind.exec(restB)?.[0]]
    // A number is newer than letters.
    if (segmentB === '') return kind.test('0') ? 1 : -1
    const order = kind.test('0') ? compareNumbers(segmentA, segmentB) : compareTexts(segmentA, segmentB)
    if (order !== 0) return order
    restA = restA.slice(segmentA.length)
    restB = restB.slice(segmentB.length)
  }
  return Number(restA !== '') - Number(restB !== '')
}

/** `~` is older than all, the end included; `^` is newer than the end, and older than anything else. 0 if both begin with the same one. */
function compareSigns(a: string, b: string): number | undefined {
  for (const [sign, whenEnds] of [
    ['~', 1],
    ['^', -1],
  ] as const) {
    const [hasA, hasB] = [a.startsWith(sign), b.startsWith(sign)]
    if (hasA && hasB) return 0
    if (hasA) return sign === '^' && b === '' ? -whenEnds : -1
    if (hasB) return sign === '^' && a === '' ? whenEnds : 1
  }
  return undefined
}

function compareNumbers(a: string, b: string): number {
  const [first, second] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return first.length - second.length || compareTexts(first, second)
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
