export const checkNow = {
  action: 'Check now',
  running: 'Checking …',
  done: (name: string, status: string) => `${name} was checked: ${status}`,
  waiting: (name: string, regions: string) => `${name}: no result yet from ${regions}`,
}
