/**
 * `npm run test:planted`: plants each fault of planted-faults.ts in a copy of the checkout and requires that its requirement
 * turns red; without the fault the same tests must pass. `-- TEXT …` tries only faults whose name or requirement contains one
 * of the texts.
 */
import { join } from 'node:path'
import { copyCheckout } from './checkout.ts'
import { tryFault, unprovable } from './plant.ts'
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.ts'

const root = join(import.meta.dirname, '../..')
const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Tries one fault and prints the result; true when the tests noticed it. */
async function tryOne(copy: string, fault: PlantedFault): Promise<boolean> {
  const { name, turnsRed } = fault
  const beganAt = performance.now()
  try {
    const { isNoticed, others } = await tryFault(copy, fault)
    const also = others.length > 0 ? `; also red: ${others.join(', ')}` : ''
    print(
      `${isNoticed ? 'noticed' : 'MISSED '} ${turnsRed} ${name} (${((performance.now() - beganAt) / 1000).toFixed(0)} s${also})`,
    )
    return isNoticed
  } catch (error) {
    print(`FAILED  ${turnsRed} ${String(error)}`)
    return false
  }
}

const given = process.argv.slice(2)
const texts = given.length > 0 ? given : ['']
const chosen = PLANTED_FAULTS.filter(({ name, turnsRed }) => texts.some((text) => name.includes(text) || turnsRed.includes(text)))
const checkout = copyCheckout(root)
let noticed = 0
try {
  const useless = await unprovable(checkout.root, chosen)
  for (const { name, turnsRed } of useless)
    print(`RED     ${turnsRed} fails without the fault "${name}" too, which proves nothing`)
  for (const fault of chosen) {
    if (!useless.includes(fault) && (await tryOne(checkout.root, fault))) noticed += 1
  }
} finally {
  checkout.remove()
}
print(`${chosen.length} faults planted, ${noticed} noticed, ${chosen.length - noticed} not`)
process.exitCode = noticed === chosen.length && noticed > 0 ? 0 : 1
