export { createProber, type Prober, type ProberOptions, type ProberParts, type ProberStats } from './prober.ts'
export { createAddressGuard, PRIVATE_RANGES, type AddressGuard, type AddressPolicy } from './address/guard.ts'
export { createGuardedConnect, type GuardedConnect, GuardedConnectError } from './connect/guarded-connect.ts'
export { type ProberThread, startProberThread, type ThreadParts, type ThreadStats } from './thread.ts'
