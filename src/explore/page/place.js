/* place.js - who answers: `bareking site` writes a page that answers itself, by far.js. */
export { answer, away } from './near.js';
