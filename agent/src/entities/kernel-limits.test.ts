import { expect, test } from 'vitest'
import { tree } from '../../test/tree.ts'
import { LimitSource } from './kernel-limits.ts'

const FILES = {
  loadavg: '0.66 0.71 0.68 2/1234 98765\n',
  'sys/fs/file-nr': '4337\t0\t1000000\n',
  'sys/kernel/threads-max': '192656\n',
  'sys/kernel/pid_max': '32768\n',
  'sys/net/netfilter/nf_conntrack_count': '65536\n',
  'sys/net/netfilter/nf_conntrack_max': '262144\n',
}

test('connections, open files and threads are compared with the lowest of their limits', async () => {
  expect(await new LimitSource({ procRoot: tree(FILES), hasNetwork: true }).read()).toEqual([
    { kind: 'limit', name: 'conntrack', values: { used: 65_536, maximum: 262_144, percent: 25 } },
    { kind: 'limit', name: 'file_handles', values: { used: 4_337, maximum: 1_000_000, percent: 0.43 } },
    { kind: 'limit', name: 'processes', values: { used: 1_234, maximum: 32_768, percent: 3.77 } },
  ])
})

test('the highest number of the kernel is no limit, and the network of a container is not that of its host', async () => {
  const procRoot = tree({ ...FILES, 'sys/fs/file-nr': '4337\t0\t9223372036854775807\n' })
  expect(await new LimitSource({ procRoot, hasNetwork: false }).read()).toMatchObject([
    { name: 'file_handles', values: { used: 4_337 } },
    { name: 'processes' },
  ])
})

test('the files of this kernel are read', async () => {
  const names = (await new LimitSource({ procRoot: '/proc', hasNetwork: true }).read()).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['file_handles', 'processes']))
})
