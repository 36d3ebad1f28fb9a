export { type Language, languageOf, translate, translatePart } from './translate.ts'
export { translateAnswer } from './translate-answer.ts'
