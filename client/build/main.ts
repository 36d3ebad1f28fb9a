import { join } from 'node:path'
import process from 'node:process'
import { buildPackage } from './package.ts'

// An argument: the folder to build into, which is emptied.
await buildPackage(process.argv[2] ?? join(import.meta.dirname, '../dist'))
