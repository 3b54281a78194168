import fc from "fast-check";

/** `npm test` tries the same random cases each time; `npm run deep` new ones, whose seed a failure tells. */
if (process.env["DEEP"] !== "1") fc.configureGlobal({ seed: 20_261_130 });
