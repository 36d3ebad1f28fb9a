import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlantedFault } from './planted-faults.ts'
import { redIds } from './results.ts'
import { runTests } from './run-tests.ts'
import { scanTests } from './sources.ts'

/** The text with the fault. Throws unless the text that it replaces occurs exactly once. */
export function plant({ name, file, find, replace }: PlantedFault, text: string): string {
  const [before, after, ...more] = text.split(find)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`"${name}" no longer applies: its text does not occur exactly once in ${file}`)
  return `${before}${replace}${after}`
}

export interface PlantResult {
  /** Whether the requirement that the fault breaks turned red. */
  isNoticed: boolean
  /** The other requirements that turned red. */
  others: string[]
}

/** Runs the tests of a fault in the copy with the fault planted, and removes the fault. */
export async function tryFault(copy: string, fault: PlantedFault): Promise<PlantResult> {
  const { file, turnsRed, tests } = fault
  const text = readFileSync(join(copy, file), 'utf8')
  writeFileSync(join(copy, file), plant(fault, text))
  try {
    const red = redIds(await runTests(copy, { files: tests, ids: [turnsRed] }), scanTests(copy))
    return { isNoticed: red.includes(turnsRed), others: red.filter((id) => id !== turnsRed) }
  } finally {
    writeFileSync(join(copy, file), text)
  }
}

/** The faults whose tests already fail without them: a red test would prove nothing. */
export async function unprovable(copy: string, faults: readonly PlantedFault[]): Promise<PlantedFault[]> {
  const files = [...new Set(faults.flatMap(({ tests }) => tests))]
  const { tests } = await runTests(copy, { files, ids: [...new Set(faults.map(({ turnsRed }) => turnsRed))] })
  const isHeldBy = (file: string, id: string) => {
    const own = tests.filter((test) => test.file === file && test.ids.includes(id))
    return own.some(({ state }) => state === 'passed') && !own.some(({ state }) => state === 'failed')
  }
  return faults.filter((fault) => !fault.tests.every((file) => isHeldBy(file, fault.turnsRed)))
}
