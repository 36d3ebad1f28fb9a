/** What was asked, what came of it and what it cost. */
export interface Cost {
  measure<T>(name: string, task: () => Promise<T>): Promise<T>
  note(status: number, isStored: boolean): void
  /** How many were measured. */
  count(): number
  /** How many were accepted, and read back as they were sent. */
  stored(): number
  /** All of it, and the dearest in ms of CPU of this process, all threads. */
  report(): string
}

export function createCost(): Cost {
  let count = 0
  let stored = 0
  const statuses = new Map<string, number>()
  let dearest: { ms: number; name: string }[] = []
  return {
    measure: async (name, task) => {
      const before = process.cpuUsage()
      const result = await task()
      const { user, system } = process.cpuUsage(before)
      count += 1
      dearest = [...dearest, { ms: (user + system) / 1000, name }].sort((a, b) => b.ms - a.ms).slice(0, 5)
      return result
    },
    note: (status, isStored) => {
      const group = `${Math.floor(status / 100)}xx`
      statuses.set(group, (statuses.get(group) ?? 0) + 1)
      if (isStored) stored += 1
    },
    count: () => count,
    stored: () => stored,
    report: () => {
      const groups = ['2xx', '3xx', '4xx', '5xx'].map((group) => `${statuses.get(group) ?? 0} × ${group}`)
      const most = dearest.map(({ ms, name }) => `\n  ${ms.toFixed(0)} ms ${name}`)
      return `${count} requests: ${groups.join(', ')}; ${stored} read back as they were sent; most CPU: ${most.join('')}`
    },
  }
}
