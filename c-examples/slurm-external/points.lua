-- Points at submission, by the user's limit: with priority/multifactor short and narrow jobs come sooner. Copy it beside
-- slurm.conf as job_submit.lua, with JobSubmitPlugins=lua there; the age does the rest, with PriorityWeightAge as large as W.
local W = 100000 -- PriorityWeightFairshare
local function known(value, else_value) return value and value < slurm.NO_VAL and value or else_value end

function slurm_job_submit(job, partitions, user)
    local cores = math.max(known(job.min_cpus, 1), known(job.min_nodes, 1), 1)
    local minutes = math.max(known(job.time_limit, 525600), 1) -- without a limit: a year, or your DefaultTime
    job.site_factor = math.floor(W * math.max(0, 1 - (math.log(minutes) + 0.5 * math.log(cores)) / 10))
    return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, user) return slurm.SUCCESS end
