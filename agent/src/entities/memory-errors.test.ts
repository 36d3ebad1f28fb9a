import { expect, test } from 'vitest'
import { tree } from '../../test/tree.ts'
import { MemoryErrorSource } from './memory-errors.ts'

/** Written by hand after Documentation/admin-guide/RAS of the kernel. */
test('the errors of each controller are read', async () => {
  const root = tree({
    'devices/system/edac/mc/mc0/ce_count': '12\n',
    'devices/system/edac/mc/mc0/ue_count': '1\n',
    'devices/system/edac/mc/mc0/mc_name': 'Skylake Socket#0 IMC#0\n',
    'devices/system/edac/mc/power/control': 'auto\n',
  })
  expect(await new MemoryErrorSource(root).read()).toEqual([
    {
      kind: 'memory',
      name: 'mc0',
      values: { corrected_errors: 12, uncorrected_errors: 1 },
      attributes: { type: 'Skylake Socket#0 IMC#0' },
    },
  ])
  expect(await new MemoryErrorSource(tree({})).read()).toEqual([])
})
