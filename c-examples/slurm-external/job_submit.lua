-- Holds jobs at submission, for the external scheduler to release: copy it beside slurm.conf, with
-- JobSubmitPlugins=lua there.
--
-- The tag tells these holds from users' own: a job submitted with --hold (priority 0) gets none, and the external
-- scheduler never touches it; when its user releases it, Slurm's own loop starts it.

-- The partitions that have an external scheduler (its -p); what asks for others, or for several, is Slurm's business.
local ours = { main = true }

local function default(partitions)
    for name, partition in pairs(partitions) do
        if partition.flag_default ~= 0 then return name end
    end
end

function slurm_job_submit(job, partitions, user)
    if job.priority ~= 0 and ours[job.partition or default(partitions)] then
        job.priority = 0
        job.admin_comment = "surefill"
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, user)
    return slurm.SUCCESS
end
