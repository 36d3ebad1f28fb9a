export { forecastFeature } from './feature.ts'
export { DAYS as FORECAST_DAYS, type Forecast, forecast } from './fit.ts'
export { type Capacity, readCapacities } from './read.ts'
