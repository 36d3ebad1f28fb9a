export const sources = {
  title: 'Found on this host',
  lead: 'A switch takes effect with the next pushes of the agent.',
  names: {
    containers: 'Containers',
    disks: 'Health of disks',
    units: 'Services',
    gpus: 'Graphics cards',
    ups: 'UPS',
  },
  what: {
    containers: 'State, health, restarts and use of the containers of Docker and Podman',
    disks: 'S.M.A.R.T. and the NVMe log',
    units: 'Which services run, and which have failed',
    gpus: 'Use, memory and temperature',
    ups: 'Charge, load and time left, from Network UPS Tools',
  },
  locked: 'Only the host can allow this. There:',
  caution: {
    containers:
      'The agent also needs access to the socket of the engine, and a program that has it can do what root can. The docs of the agent show a proxy that only lets its requests through.',
    disks: 'It requires smartmontools 7 or newer.',
    ups: 'Take the name of the UPS from /etc/nut/ups.conf.',
  },
  saved: (name: string, isOn: boolean) => `${name}: ${isOn ? 'on' : 'off'}`,
}
