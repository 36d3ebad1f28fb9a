export { probeFeature } from './feature.ts'
export { urlFault } from './program/client.ts'
export { startProbe } from './program/program.ts'
