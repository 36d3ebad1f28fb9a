/** Compares two versions of Arch packages as pacman does (vercmp(8)): negative if `a` is older. A missing release is not compared. */
export function compareAlpmVersions(a: string, b: string): number {
  const [first, second] = [split(a), split(b)]
  const order = first.epoch - second.epoch || compareParts(first.version, second.version)
  return order !== 0 || first.release === '' || second.release === '' ? order : compareParts(first.release, second.release)
}

function split(text: string): { epoch: number; version: string; release: string } {
  const [, epoch = '0', version = '', release = ''] = /^(?:(\d+):)?(.*?)(?:-([^-]*))?$/.exec(text) ?? []
  return { epoch: Number(epoch), version, release }
}

/** Separators, then a segment of digits or letters. */
const SEGMENT = /^([^a-z0-9]*)(\d+|[a-z]+)/i

function compareParts(a: string, b: string): number {
  let [restA, restB] = [a, b]
  while (restA !== '' && restB !== '') {
    const [matchA, matchB] = [SEGMENT.exec(restA), SEGMENT.exec(restB)]
    if (!matchA || !matchB) return compareEnds(withoutSeparators(restA), withoutSeparators(restB))
    const [wholeA, separatorsA = '', segmentA = ''] = matchA
    const [wholeB, separatorsB = '', segmentB = ''] = matchB
    const order = separatorsA.length - separatorsB.length || compareSegments(segmentA, segmentB)
    if (order !== 0) return order
    restA = restA.slice(wholeA.length)
    restB = restB.slice(wholeB.length)
  }
  return compareEnds(restA, restB)
}

const withoutSeparators = (text: string): string => text.replace(/^[^a-z0-9]+/i, '')

/** Letters at the end are older than nothing: `1.0rc` comes before `1.0`, `1.0.1` after it. */
function compareEnds(restA: string, restB: string): number {
  if (restA === '' && restB === '') return 0
  if (restA === '') return /^[a-z]/i.test(restB) ? 1 : -1
  return /^[a-z]/i.test(restA) ? -1 : 1
}

function compareSegments(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d/.test(a), /^\d/.test(b)]
  // A number is newer than letters.
  if (isNumberA !== isNumberB) return isNumberA ? 1 : -1
  const [first, second] = isNumberA ? [a.replace(/^0+/, ''), b.replace(/^0+/, '')] : [a, b]
  if (isNumberA && first.length !== second.length) return first.length - second.length
  return first === second ? 0 : first < second ? -1 : 1
}
